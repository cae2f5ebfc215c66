/**
 * Replaces a file's content atomically: readers see the old or the new, and a failure leaves the old. Links stay
 * links, modes stay modes. No link is followed on the way.
 */
import { constants, type Stats } from 'node:fs'
import { access, type FileHandle, lstat, open, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { ChangedError } from '../safe-files/changed-error.ts'
import { type HeldDirectory, holdDirectory, makeDirectory, named } from '../safe-files/held-directory.ts'
import { LARGEST_WRITTEN, openIn, readUpTo } from '../safe-files/open-file.ts'
import { makePrivateDirectory } from '../safe-files/put-file.ts'
import { randomName } from '../safe-files/random-name.ts'
import { hashOf } from './ledger.ts'
import { withPath } from './path-mutex.ts'

export interface WriteRequest {
  /** Canonical: links are followed already. */
  readonly path: string
  readonly bytes: Uint8Array
  /** Hash of the content to be replaced; null when there must be no file. */
  readonly expect: string | null
  /** Data of the server: 0600, in directories with 0700. Without it the file keeps its mode, and a new one follows the umask. */
  readonly isPrivate?: boolean
  /** Called when everything is on disk and only the last checks and the last step are left. */
  readonly beforeCommit?: () => Promise<void>
}

/** Throws `ChangedError`, or the system's error with the original intact. Parents are made, and removed again on failure. */
export async function atomicWrite(request: WriteRequest): Promise<void> {
  await withPath(request.path, () => writeAlone(request))
}

/** Removes a file whose content has this hash. Throws `ChangedError`, or the system's error. */
export async function removeFile(path: string, expect: string): Promise<void> {
  await withPath(path, async () => {
    const directory = holdDirectory(dirname(path))
    try {
      const target = { directory, name: basename(path), path }
      if ((await currentHash(target)) !== expect) throw new ChangedError('its content changed')
      await rm(directory.at(target.name))
    } catch (error) {
      throw named(error, path)
    } finally {
      directory.close()
    }
  })
}

/** The file in its directory, which is held: whatever becomes of the path, this is where it is written. */
interface Target {
  readonly directory: HeldDirectory
  readonly name: string
  readonly path: string
}

async function writeAlone(request: WriteRequest): Promise<void> {
  const { path } = request
  const directory = request.isPrivate ? makePrivateDirectory(dirname(path)) : makeDirectory(dirname(path))
  const target = { directory, name: basename(path), path }
  try {
    const old = await lstat(directory.at(target.name)).catch(absent)
    if (old && !old.isFile()) throw new ChangedError('it is not a regular file any more')
    // A file that may not be written is not replaced either, though its directory would allow it.
    if (old) await access(directory.at(target.name), constants.W_OK)
    const inPlace = old !== undefined && (old.nlink > 1 || !(await isWritable(directory)))
    const verify = async (): Promise<void> => {
      await request.beforeCommit?.()
      if (!directory.isStillThere()) throw new ChangedError('its directory was replaced')
      if ((await currentHash(target)) !== request.expect) throw new ChangedError('its content changed')
    }
    if (inPlace) await overwrite(target, request.bytes, verify)
    else await replace(target, request.bytes, { mode: request.isPrivate ? 0o600 : old?.mode, verify })
  } catch (error) {
    directory.unmake()
    throw named(error, path)
  } finally {
    directory.close()
  }
}

/** Only a file that is not there counts as none; any other error stays one. */
function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

interface Replacement {
  /** Absent for a new file, which follows the umask. */
  readonly mode: number | undefined
  readonly verify: () => Promise<void>
}

async function replace(
  { directory, name, path }: Target,
  bytes: Uint8Array,
  { mode, verify }: Replacement,
): Promise<void> {
  const temporary = randomName(path, 'tmp')
  try {
    const file = await open(directory.at(temporary), 'wx', mode === undefined ? 0o666 : mode & 0o7777)
    try {
      await file.writeFile(bytes)
      // The umask has cut the mode of a file that had more.
      if (mode !== undefined) await file.chmod(mode & 0o7777)
      await file.sync()
    } finally {
      await file.close()
    }
    await verify()
    await rename(directory.at(temporary), directory.at(name))
  } catch (error) {
    await rm(directory.at(temporary), { force: true })
    throw error
  }
}

/**
 * Hard links must see the change, or the directory accepts no other file: the file is overwritten in place. A copy
 * of the old content is on disk meanwhile; it stays there, named in the error, if it cannot be restored.
 */
async function overwrite(target: Target, bytes: Uint8Array, verify: () => Promise<void>): Promise<void> {
  const { directory, name, path } = target
  const file = await openIn(directory, name, constants.O_RDWR)
  try {
    const old = await readAll(file)
    const backup = await keepCopy(target, old, await file.stat())
    let isWhole = true
    try {
      await verify()
      if (!(await isSame(file, await lstat(directory.at(name))))) throw new ChangedError('it was replaced')
      await writeInto(file, bytes).catch(async (error: unknown) => {
        isWhole = await writeInto(file, old).then(
          () => true,
          () => false,
        )
        if (isWhole) throw error
        throw new Error(
          `${path} was written in part: ${messageOf(error)}. Its old content is in ${backup.path}`,
          { cause: error },
        )
      })
    } finally {
      if (isWhole) await rm(backup.at, { force: true })
    }
  } finally {
    await file.close()
  }
}

async function isSame(file: FileHandle, { dev, ino }: Stats): Promise<boolean> {
  const held = await file.stat()
  return held.dev === dev && held.ino === ino
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const readAll = (file: FileHandle): Promise<Buffer> => readUpTo(file, LARGEST_WRITTEN)

/** Beside the file, or where temporary files go when its directory takes none. Throws when neither works. */
async function keepCopy(
  { directory, path }: Target,
  old: Uint8Array,
  { mode }: Stats,
): Promise<{ readonly at: string; readonly path: string }> {
  const name = randomName(path, 'bak')
  try {
    await writeCopy(directory.at(name), old, mode & 0o777)
    return { at: directory.at(name), path: join(directory.path, name) }
  } catch (error) {
    if (!isRefusal(error)) await rm(directory.at(name), { force: true })
  }
  const elsewhere = join(tmpdir(), name)
  await writeCopy(elsewhere, old, 0o600)
  return { at: elsewhere, path: elsewhere }
}

async function writeCopy(at: string, bytes: Uint8Array, mode: number): Promise<void> {
  const file = await open(at, 'wx', mode)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

const isRefusal = (error: unknown): boolean =>
  ['EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')

/** The whole content from the start, on disk. */
async function writeInto(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; )
    at += (await file.write(bytes, at, bytes.length - at, at)).bytesWritten
  await file.truncate(bytes.length)
  await file.sync()
}

async function currentHash({ directory, name }: Target): Promise<string | null> {
  const file = await openIn(directory, name).catch(absent)
  if (!file) return null
  try {
    return hashOf(await readAll(file))
  } finally {
    await file.close()
  }
}

const isWritable = (directory: HeldDirectory): Promise<boolean> =>
  access(directory.at('.'), constants.W_OK).then(
    () => true,
    () => false,
  )

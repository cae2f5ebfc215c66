/**
 * Replaces a file's content as one step: whoever reads sees the old or the new, and a failure
 * leaves the old. Links stay links, modes stay modes.
 */
import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import {
  access,
  copyFile,
  type FileHandle,
  mkdir,
  open,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { hashOf } from './ledger.ts'
import { withPath } from './path-mutex.ts'

/** The file is not what it was when the change was computed. */
export class ChangedError extends Error {
  override readonly name = 'ChangedError'
}

export interface WriteRequest {
  /** Canonical: links are followed already. */
  readonly path: string
  readonly bytes: Uint8Array
  /** Hash of the content to be replaced; null when there must be no file. */
  readonly expect: string | null
  /** Called when everything is on disk and only the last checks and the last step are left. */
  readonly beforeCommit?: () => Promise<void>
}

/** Throws `ChangedError`, or the system's error with the original intact. Parents are made, and removed again on failure. */
export async function atomicWrite(request: WriteRequest): Promise<void> {
  await withPath(request.path, () => writeAlone(request))
}

async function writeAlone(request: WriteRequest): Promise<void> {
  const dir = dirname(request.path)
  const made = await makeParents(dir)
  try {
    const parent = await stat(dir)
    const old = await stat(request.path).catch(() => undefined)
    // A file that may not be written is not replaced either, though its directory would allow it.
    if (old) await access(request.path, constants.W_OK)
    const inPlace = old !== undefined && (old.nlink > 1 || !(await isWritable(dir)))
    const verify = async (): Promise<void> => {
      await request.beforeCommit?.()
      const now = await stat(dir)
      if (now.dev !== parent.dev || now.ino !== parent.ino)
        throw new ChangedError('its directory was replaced')
      if ((await currentHash(request.path)) !== request.expect) throw new ChangedError('its content changed')
    }
    if (inPlace) await overwrite(request, verify)
    else await replace(request, old?.mode, verify)
  } catch (error) {
    for (const one of made.toReversed()) await rmdir(one).catch(() => {})
    throw error
  }
}

async function replace(
  { path, bytes }: WriteRequest,
  mode: number | undefined,
  verify: () => Promise<void>,
): Promise<void> {
  const name = `.${basename(path).slice(0, 100)}.${randomBytes(6).toString('hex')}.tmp`
  const temporary = join(dirname(path), name)
  try {
    const file = await open(temporary, 'wx', mode === undefined ? 0o666 : mode & 0o7777)
    try {
      await file.writeFile(bytes)
      // The umask has cut the mode of a file that had more.
      if (mode !== undefined) await file.chmod(mode & 0o7777)
      await file.sync()
    } finally {
      await file.close()
    }
    await verify()
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/**
 * Other names of the same file must see the change, or its directory takes no other file: it is written into. A copy
 * of the old content is on disk meanwhile, and stays there, told with the error, when it cannot be brought back.
 */
async function overwrite({ path, bytes }: WriteRequest, verify: () => Promise<void>): Promise<void> {
  const old = await readFile(path)
  const backup = await keepCopy(path)
  let isWhole = true
  try {
    await verify()
    const file = await open(path, 'r+')
    try {
      await writeInto(file, bytes)
    } catch (error) {
      isWhole = await writeInto(file, old).then(
        () => true,
        () => false,
      )
      if (!isWhole)
        throw new Error(`${path} was written in part: ${messageOf(error)}. Its old content is in ${backup}`, {
          cause: error,
        })
      throw error
    } finally {
      await file.close()
    }
  } finally {
    if (isWhole) await rm(backup, { force: true })
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Beside the file, or where temporary files go when its directory takes none. Throws when neither works. */
async function keepCopy(path: string): Promise<string> {
  const name = `.${basename(path).slice(0, 100)}.${randomBytes(6).toString('hex')}.bak`
  const beside = join(dirname(path), name)
  try {
    await copyFile(path, beside, constants.COPYFILE_EXCL)
    return beside
  } catch (error) {
    if (!isRefusal(error)) await rm(beside, { force: true })
  }
  const elsewhere = join(tmpdir(), name)
  const file = await open(elsewhere, 'wx', 0o600)
  try {
    await file.writeFile(await readFile(path))
    await file.sync()
  } finally {
    await file.close()
  }
  return elsewhere
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

async function currentHash(path: string): Promise<string | null> {
  try {
    return hashOf(await readFile(path))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

const isWritable = (path: string): Promise<boolean> =>
  access(path, constants.W_OK).then(
    () => true,
    () => false,
  )

/** The directories that had to be made, outermost first. */
async function makeParents(dir: string): Promise<readonly string[]> {
  const missing: string[] = []
  for (
    let at = dir;
    !(await stat(at).then(
      () => true,
      () => false,
    ));
    at = dirname(at)
  )
    missing.unshift(at)
  await mkdir(dir, { recursive: true })
  return missing
}

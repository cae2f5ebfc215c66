/**
 * Files of the server's own, such as outputs and kept contents: each is new, whatever was at its path. A link, or another
 * name of a file elsewhere, is removed and never written through. Missing directories are made. Only the server's user can
 * read them: 0600 and 0700 from the first moment, whatever the umask is.
 */
import { constants, openSync, rmSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { type MadeDirectory, makeDirectory, named } from './held-directory.ts'
import { randomName } from './random-name.ts'

const FILE = 0o600
const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL
/** Several processes may write to it. */
const GROWING = NEW | constants.O_APPEND

/** Holds a directory of the server's own data. Throws like `holdDirectory`. */
export const makePrivateDirectory = (path: string): MadeDirectory => makeDirectory(path, 0o700)

/** Puts a file in its place as one step. `path` is canonical. Throws `ChangedError` for a link on the way, and the system's error. */
export async function putFile(path: string, bytes: Uint8Array | string): Promise<void> {
  const directory = makePrivateDirectory(dirname(path))
  const temporary = randomName(path, 'tmp')
  try {
    const file = await open(directory.at(temporary), NEW, FILE)
    try {
      await file.writeFile(bytes)
    } finally {
      await file.close()
    }
    await rename(directory.at(temporary), directory.at(basename(path)))
  } catch (error) {
    await rm(directory.at(temporary), { force: true }).catch(() => undefined)
    throw named(error, path)
  } finally {
    directory.close()
  }
}

/** Opens a file that is written bit by bit. Throws like `putFile`. */
export async function openFresh(path: string): Promise<FileHandle> {
  const directory = makePrivateDirectory(dirname(path))
  const at = directory.at(basename(path))
  try {
    await rm(at, { force: true })
    return await open(at, GROWING, FILE)
  } catch (error) {
    throw named(error, path)
  } finally {
    directory.close()
  }
}

/** As `openFresh`, for those who cannot wait: a descriptor. */
export function openFreshSync(path: string): number {
  const directory = makePrivateDirectory(dirname(path))
  const at = directory.at(basename(path))
  try {
    rmSync(at, { force: true })
    return openSync(at, GROWING, FILE)
  } catch (error) {
    throw named(error, path)
  } finally {
    directory.close()
  }
}

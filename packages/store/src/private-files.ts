/**
 * Creates the files and directories that hold users' data: 0600 and 0700 from the first moment, whatever the umask is.
 * Nothing here opens a file that SQLite may have open: closing it would drop the locks of this process.
 */
import {
  chmodSync,
  closeSync,
  existsSync,
  fchmodSync,
  lstatSync,
  mkdirSync,
  openSync,
  statSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'

const FILE = 0o600
const DIRECTORY = 0o700
const OTHERS = 0o077

/**
 * Creates the directory and its missing parents; an existing one keeps its mode. Throws what the system throws.
 * Node's recursive mkdir never ends below /proc, which denies that its own directories exist.
 */
export function makePrivateDirectory(path: string): void {
  const missing: string[] = []
  for (let at = resolve(path); !existsSync(at) && dirname(at) !== at; at = dirname(at)) missing.push(at)
  for (const directory of missing.toReversed()) makeOne(directory)
  if (!statSync(path).isDirectory()) throw new Error(`ENOTDIR: not a directory, '${path}'`)
}

/** Another process may have made it meanwhile. */
function makeOne(directory: string): void {
  try {
    mkdirSync(directory, DIRECTORY)
  } catch (error) {
    if (!existsSync(directory)) throw error
  }
}

/** Creates an empty file, or makes an existing one private. Throws what the system throws. */
export function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', FILE))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    tighten(path)
  }
}

/** Creates the file of a database; its journals take their mode from it. Throws what the system throws. */
export function createDatabaseFile(path: string): void {
  createPrivateFile(path)
  for (const journal of ['-wal', '-shm', '-journal']) tighten(path + journal)
}

/** Opens an empty file for writing. Throws what the system throws; the caller closes the descriptor. */
export function openPrivateFile(path: string): number {
  const descriptor = openSync(path, 'w', FILE)
  // The file may be an older one with a wider mode.
  fchmodSync(descriptor, FILE)
  return descriptor
}

/** Takes a file or directory away from other users. Leaves links alone. False when others can still open it. */
export function tighten(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!found?.isFile() && !found?.isDirectory()) return true
  if ((found.mode & OTHERS) === 0) return true
  try {
    // Bits are only taken away: what its owner made read-only stays so.
    chmodSync(path, found.mode & 0o777 & ~OTHERS)
    return true
  } catch {
    // It belongs to another user, or its file system has no modes.
    return false
  }
}

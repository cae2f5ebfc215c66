/**
 * A directory held open, reached without following any link. What is opened, made or renamed through it stays in it, also
 * when a folder of its path is replaced by a link meanwhile. Only Linux can name the entries of an open directory;
 * elsewhere the path is checked again at every use.
 */
import {
  closeSync,
  constants,
  type Dirent,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  rmdirSync,
  statSync,
} from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { ChangedError } from './changed-error.ts'
import { canonicalPath } from './real-path.ts'

export interface HeldDirectory {
  readonly path: string
  /** Names an entry for functions of the file system. Only the entry itself can still be a link. */
  readonly at: (name: string) => string
  /** Its path still leads to it. */
  readonly isStillThere: () => boolean
  readonly close: () => void
}

export interface MadeDirectory extends HeldDirectory {
  /** Removes the directories that had to be made, as far as they are empty. Never throws. */
  readonly unmake: () => void
}

/** Opens a directory only to reach what is in it. Not among Node's constants. */
const O_PATH = 0o10000000
const FLAGS = O_PATH | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)
const CAN_NAME = process.platform === 'linux' && existsSync('/proc/self/fd')

/** Creates one directory where it is missing; receives its path and how to reach it. */
type Make = (path: string, at: string) => void

/** `path` is canonical. Throws `ChangedError` when a link is on the way, and the system's error otherwise. */
export const holdDirectory = (path: string): HeldDirectory => hold(path)

/** Holds the directory, and makes it with its parents where they are missing; the umask limits `mode`. Throws like `holdDirectory`. */
export function makeDirectory(path: string, mode = 0o777): MadeDirectory {
  const made: string[] = []
  const unmake = (): void => {
    for (const one of made.toReversed()) removeDirectory(one)
  }
  const make: Make = (one, at) => {
    try {
      mkdirSync(at, mode)
      made.push(one)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw named(error, one)
    }
  }
  try {
    return { ...hold(path, make), unmake }
  } catch (error) {
    unmake()
    throw error
  }
}

const hold = (path: string, make?: Make): HeldDirectory =>
  CAN_NAME ? holdOpen(path, make) : holdByName(path, make)

/** The entries of a directory. Throws like `holdDirectory`. */
export async function listDirectory(path: string): Promise<readonly Dirent[]> {
  const directory = holdDirectory(path)
  try {
    return await readdir(directory.at('.'), { withFileTypes: true })
  } catch (error) {
    throw named(error, path)
  } finally {
    directory.close()
  }
}

function removeDirectory(path: string): void {
  try {
    const parent = holdDirectory(dirname(path))
    try {
      rmdirSync(parent.at(basename(path)))
    } finally {
      parent.close()
    }
  } catch {
    // It is in use, or gone.
  }
}

function holdOpen(path: string, make?: Make): HeldDirectory {
  let fd = openSync(sep, FLAGS)
  let reached: string = sep
  for (const name of path.split(sep).filter(Boolean)) {
    const outer = fd
    reached = join(reached, name)
    try {
      fd = enter(`/proc/self/fd/${outer}/${name}`, reached, make)
    } finally {
      closeSync(outer)
    }
  }
  const identity = fstatSync(fd)
  return {
    path,
    at: name => `/proc/self/fd/${fd}/${name}`,
    isStillThere: () => isAt(path, identity),
    close: () => closeSync(fd),
  }
}

/** Opens one directory on the way; `at` reaches it through the one around it. */
function enter(at: string, path: string, make: Make | undefined): number {
  try {
    return openSync(at, FLAGS)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && make) {
      make(path, at)
      return enter(at, path, undefined)
    }
    throw isLink(at) ? new ChangedError(REPLACED) : named(error, path)
  }
}

/** For systems that cannot name what is in an open directory. */
export function holdByName(path: string, make?: Make): HeldDirectory {
  if (canonicalPath(path) !== path) throw new ChangedError(REPLACED)
  if (make) for (const one of missing(path)) make(one, one)
  const identity = statSync(path)
  const isStillThere = (): boolean => isAt(path, identity)
  return {
    path,
    at(name) {
      if (!isStillThere()) throw new ChangedError(REPLACED)
      return join(path, name)
    },
    isStillThere,
    close() {},
  }
}

/** Outermost first. */
const missing = (path: string): readonly string[] =>
  existsSync(path) ? [] : [...missing(dirname(path)), path]

const REPLACED = 'a folder of its path was replaced by a link'

function isLink(at: string): boolean {
  try {
    return lstatSync(at).isSymbolicLink()
  } catch {
    return false
  }
}

function isAt(path: string, { dev, ino }: { readonly dev: number; readonly ino: number }): boolean {
  try {
    const now = statSync(path)
    return now.dev === dev && now.ino === ino && canonicalPath(path) === path
  } catch {
    return false
  }
}

/** The system's error with the path as others know it. */
export function named(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !('path' in error)) return error
  error.message = error.message.replace(/'\/proc\/self\/fd\/\d+\/[^']*'/, () => `'${path}'`)
  return Object.assign(error, { path })
}

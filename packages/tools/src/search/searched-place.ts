/**
 * Holds the root of a ripgrep search open: a link that replaces the directory or file meanwhile is not followed.
 * Ripgrep gets the root by a handle, and its results are relative to it.
 */
import { dirname, join } from 'node:path'
import { holdDirectory } from '../safe-files/held-directory.ts'
import { openFile } from '../safe-files/open-file.ts'

export interface SearchedPlace {
  /** Working directory of ripgrep. */
  readonly cwd: string
  /** Its search target. */
  readonly target: string
  /** It finds this file among its descriptors. */
  readonly fd?: number
  /** The path of what it names, absolute. */
  readonly toPath: (name: string) => string
  readonly close: () => Promise<void>
}

/** `path` is canonical. Throws like `holdDirectory` and `openFile`. */
export async function holdSearched(path: string): Promise<SearchedPlace> {
  const directory = attempt(path)
  if (directory)
    return {
      cwd: directory.at('.'),
      target: './',
      toPath: name => join(path, name),
      close: async () => directory.close(),
    }
  const file = await openFile(path)
  return { cwd: dirname(path), ...toTarget(path, file.fd), toPath: () => path, close: () => file.close() }
}

/** Undefined for what is no directory. */
function attempt(path: string): ReturnType<typeof holdDirectory> | undefined {
  try {
    return holdDirectory(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined
    throw error
  }
}

/** The first descriptor after those that every process has. */
const SEARCHED_FD = 3

const toTarget = (path: string, fd: number): Pick<SearchedPlace, 'target' | 'fd'> =>
  process.platform === 'linux' ? { target: `/proc/self/fd/${SEARCHED_FD}`, fd } : { target: path }

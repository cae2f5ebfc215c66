/**
 * What ripgrep searches, held while it does: a link that takes the place of the directory or the file in the meantime is not
 * looked into. It is told the place by a handle, and names what it finds from there.
 */
import { dirname, join } from 'node:path'
import { holdDirectory } from '../safe-files/held-directory.ts'
import { openFile } from '../safe-files/open-file.ts'

export interface SearchedPlace {
  /** Where ripgrep runs. */
  readonly cwd: string
  /** What it is told to search. */
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
      target: './/',
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

/** Finds the ripgrep binary that a package ships, and which ignore files a search may let it read. */
import { lstatSync } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import { release } from 'node:os'
import { dirname, join } from 'node:path'

export interface Ripgrep {
  readonly binary: string
  /** An ignore file that is a link, pipe, device or too large: ripgrep would read it whole, so none is applied. */
  readonly unsafeIgnoreFile?: string
}

/** Options of searches, instead of the machine's defaults. */
export interface SearchOptions {
  /** The binary; the one that the package ships when absent. */
  readonly ripgrep?: string
  /** Finds the package's binary. */
  readonly find?: () => Promise<string | undefined>
  readonly timeout_ms?: number
}

const MAX_IGNORE_FILE = 1024 * 1024
const IGNORE_FILES = ['.gitignore', '.ignore', '.rgignore']

export const NO_RIPGREP = {
  code: 'not_available',
  message:
    'Searching needs ripgrep, and no binary of the package @vscode/ripgrep runs on this machine. Install the package, or search with Bash.',
} as const

/** Undefined where no binary is installed for this machine, or what is installed cannot be run. */
export async function ripgrepPath(): Promise<string | undefined> {
  try {
    const { rgPath } = await import('@vscode/ripgrep')
    await access(rgPath, constants.X_OK)
    return rgPath
  } catch {
    return undefined
  }
}

/** For the table of limits, which is the same on every machine. */
export const searchTimeWords = ({ timeout_ms }: SearchOptions): string =>
  timeout_ms === undefined ? '20000 ms (60000 under WSL)' : `${timeout_ms} ms`

/** Windows mounts are slow. */
export const SEARCH_TIMEOUT_MS = /microsoft/i.test(release()) ? 60_000 : 20_000

/** Undefined without a binary. */
export async function findRipgrep(
  { ripgrep, find = ripgrepPath }: SearchOptions,
  root: string,
): Promise<Ripgrep | undefined> {
  const binary = ripgrep ?? (await find())
  if (binary === undefined) return undefined
  const unsafeIgnoreFile = findUnsafeIgnoreFile(root)
  return { binary, ...(unsafeIgnoreFile === undefined ? {} : { unsafeIgnoreFile }) }
}

/** The first of the ignore files for everything below this directory that is not small and regular. */
function findUnsafeIgnoreFile(dir: string): string | undefined {
  const unsafe = IGNORE_FILES.map(name => join(dir, name)).find(path => !isPlainOrAbsent(path))
  return unsafe ?? (dirname(dir) === dir ? undefined : findUnsafeIgnoreFile(dirname(dir)))
}

function isPlainOrAbsent(path: string): boolean {
  try {
    const found = lstatSync(path)
    return found.isFile() && found.size <= MAX_IGNORE_FILE
  } catch {
    return true
  }
}

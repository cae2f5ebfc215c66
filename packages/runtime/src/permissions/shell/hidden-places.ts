/**
 * Directories that no command may read in passing, such as the server's own data in a workspace.
 * A command that names one of them, or a wildcard that may, is asked about for that reason alone.
 */
import { basename, resolve } from 'node:path'

interface Passing {
  readonly name: string
  readonly args: readonly string[]
  /** The files and directories that it names; where it is when there are none. */
  readonly paths: readonly string[]
}

/** Whether the command reads what is in a hidden directory below one that it is told to look through. Pure. */
export function readsHidden(
  { name, args, paths }: Passing,
  hidden: readonly string[],
  places: readonly string[],
): boolean {
  const hasDotName = hidden.every(dir => basename(dir).startsWith('.'))
  if (hidden.length === 0 || !readsBelow(name, args, hasDotName)) return false
  return (paths.length === 0 ? ['.'] : paths).some(path => isAboveHidden(path, hidden, places))
}

/** Whether a hidden directory lies below the path, from any of the places where the command may be. Pure. */
export const isAboveHidden = (path: string, hidden: readonly string[], places: readonly string[]): boolean =>
  places.some(place => hidden.some(dir => dir.startsWith(`${resolve(place, path)}/`.replace('//', '/'))))

/** Whether a program, with these arguments, reads the contents of everything below a directory. */
function readsBelow(name: string, args: readonly string[], hasDotName: boolean): boolean {
  const has = (pattern: RegExp): boolean => args.some(arg => pattern.test(arg))
  switch (name) {
    case 'grep':
    case 'egrep':
    case 'fgrep':
    case 'zgrep':
      return (
        has(/^-[A-Za-z]*[rR]/) || has(/^--(dereference-)?recursive$|^--directories=recurse$/) || has(/^-d/)
      )
    case 'diff':
      return has(/^-[A-Za-z]*r/) || has(/^--recursive$/)
    // These leave names with a dot alone unless told otherwise.
    case 'rg':
    case 'ag':
      return !hasDotName || has(/^-[A-Za-z]*[.uU]/) || has(/^--(hidden|unrestricted)/)
    case 'git':
      return has(/^--(no-index|untracked|no-exclude-standard)$/)
    default:
      return false
  }
}

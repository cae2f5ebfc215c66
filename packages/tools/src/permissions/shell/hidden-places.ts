/**
 * Directories that no command may read in passing, such as the server's own data in a workspace.
 * A command that names one of them, or a wildcard that may, is asked about for that reason alone.
 */
import { basename } from 'node:path'

interface CommandArguments {
  readonly name: string
  readonly args: readonly string[]
  /** The files and directories that it names; the current directory if there is no such item. */
  readonly paths: readonly string[]
}

interface Where {
  /** Real paths. */
  readonly hidden: readonly string[]
  /** Every absolute path that a path, as written in the line, may mean. */
  readonly locate: (path: string) => readonly string[]
  readonly realPath: (path: string) => string
}

/** True if the command reads a hidden directory below one that it searches. */
export function readsHidden({ name, args, paths }: CommandArguments, where: Where): boolean {
  const { hidden } = where
  const hasDotName = hidden.every(dir => basename(dir).startsWith('.'))
  if (hidden.length === 0 || !readsBelow(name, args, hasDotName)) return false
  return (paths.length === 0 ? ['.'] : paths).some(path => isAboveHidden(path, where))
}

/** True if a hidden directory is below the path, from any possible current directory. */
export const isAboveHidden = (path: string, { hidden, locate, realPath }: Where): boolean =>
  locate(path).some(one => {
    const above = `${realPath(one)}/`.replace('//', '/')
    return hidden.some(dir => dir.startsWith(above))
  })

/** True if a program, with these arguments, reads the contents of everything below a directory. */
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
    // These skip names with a dot by default.
    case 'rg':
    case 'ag':
      return !hasDotName || has(/^-[A-Za-z]*[.uU]/) || has(/^--(hidden|unrestricted)/)
    case 'git':
      return has(/^--(no-index|untracked|no-exclude-standard)$/)
    default:
      return false
  }
}

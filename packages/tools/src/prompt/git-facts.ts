/** The branch of a workspace and its changed files, taken once per session. */
import { canonicalPath } from '../files/resolve-path.ts'
import { type GitPlace, openGit } from '../git/run-git.ts'
import type { GitFacts } from './environment.ts'
import { repositoryAbove } from './project-files.ts'

const MAX_CHANGED = 20
const TIMEOUT_MS = 5_000

/** Undefined where there is no repository, or git cannot say; starts git only in a repository. Never throws. */
export async function readGitFacts(options: Omit<GitPlace, 'timeout_ms'>): Promise<GitFacts | undefined> {
  try {
    if (repositoryAbove(canonicalPath(options.context.cwd)) === undefined) return undefined
    const git = await openGit({ ...options, timeout_ms: TIMEOUT_MS })
    return parseStatus(await git.run(...STATUS))
  } catch {
    return undefined
  }
}

const STATUS = ['status', '--porcelain=v2', '--branch', '-z', '--no-renames', '--untracked-files=normal']
const HEAD = '# branch.head '
/** Fields before the path, by the kind of a line: changed, unmerged, untracked. */
const FIELDS: Readonly<Record<string, number>> = { '1': 8, u: 10, '?': 1 }

/** Reads what `git status` prints in its second format, with lines that end with NUL. */
export function parseStatus(status: string): GitFacts {
  const lines = status.split('\0')
  const head = lines.find(line => line.startsWith(HEAD))?.slice(HEAD.length)
  const changed = lines.flatMap(line => {
    const fields = FIELDS[line.slice(0, line.indexOf(' '))]
    return fields === undefined ? [] : [line.split(' ').slice(fields).join(' ')]
  })
  return {
    branch: head === undefined || head === '(detached)' ? '(no branch)' : head,
    changed: changed.slice(0, MAX_CHANGED),
    more: Math.max(0, changed.length - MAX_CHANGED),
  }
}

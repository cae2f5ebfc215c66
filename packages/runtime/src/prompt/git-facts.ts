/** The branch of a workspace and its changed files, taken once per session. */
import { type GitPlace, openGit } from '../tools/git/run-git.ts'
import type { GitFacts } from './environment.ts'

const MAX_CHANGED = 20
const TIMEOUT_MS = 5_000

/** Undefined where there is no repository, or git cannot say. Never throws. */
export async function readGitFacts(options: Omit<GitPlace, 'timeout_ms'>): Promise<GitFacts | undefined> {
  try {
    const git = await openGit({ ...options, timeout_ms: TIMEOUT_MS })
    const branch = await git.run('symbolic-ref', '--short', '-q', 'HEAD').catch(() => '(no branch)')
    const status = await git.run('status', '--porcelain=v1', '-z', '--no-renames', '--untracked-files=normal')
    const changed = status.split('\0').flatMap(line => (line.length > 3 ? [line.slice(3)] : []))
    return {
      branch,
      changed: changed.slice(0, MAX_CHANGED),
      more: Math.max(0, changed.length - MAX_CHANGED),
    }
  } catch {
    return undefined
  }
}

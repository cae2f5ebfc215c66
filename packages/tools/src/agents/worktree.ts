/**
 * A separate git worktree for one agent: it changes files without touching the session's workspace. Created once
 * per agent; removed at the end unless the agent left something in it.
 */
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { ToolContext } from '@toolwire/core'
import { reasonOf } from '@toolwire/core'
import { canonicalPath } from '../files/resolve-path.ts'
import { type GitPlace, openGit } from '../git/run-git.ts'
import { makePrivateDirectory } from '../safe-files/put-file.ts'

/** The session's workspace, and the location of its worktree. */
export interface WorktreePlace extends Pick<GitPlace, 'sandbox'> {
  readonly context: ToolContext
  readonly path: string
}

const workspaceOf = ({ roots }: ToolContext): string => roots[0] ?? '.'

/** The reason that the workspace has no worktree; undefined if one can be made. */
export async function worktreeProblem(place: WorktreePlace): Promise<string | undefined> {
  try {
    const git = await openGit({ ...place, cwd: workspaceOf(place.context), timeout_ms: QUICK_MS })
    const hasCommit = await git.run('rev-parse', '--verify', 'HEAD^{commit}').then(
      () => true,
      () => false,
    )
    return hasCommit
      ? undefined
      : 'isolation: worktree needs a git repository with at least one commit; leave it out here.'
  } catch (error) {
    return `isolation: worktree is not available here; leave it out. ${reasonOf(error)}`
  }
}

/** For questions that read a few small files. */
const QUICK_MS = 10_000

/** The directory in which a worktree is registered: the one that the repository shares among all of its worktrees. */
async function repositoryDirectory(place: WorktreePlace): Promise<string> {
  const cwd = workspaceOf(place.context)
  const git = await openGit({ ...place, cwd, timeout_ms: QUICK_MS })
  return canonicalPath(resolve(cwd, await git.run('rev-parse', '--git-common-dir')))
}

/** The worktree at `path`, of the latest commit and on no branch. Idempotent. Throws what git said. */
export async function openWorktree(place: WorktreePlace): Promise<void> {
  const { path } = place
  const cwd = workspaceOf(place.context)
  const writable = [await repositoryDirectory(place), dirname(path)]
  makePrivateDirectory(canonicalPath(dirname(path))).close()
  if (!existsSync(join(path, '.git'))) {
    const git = await openGit({ ...place, cwd, writable })
    await git.run('worktree', 'add', '--quiet', '--detach', '--no-checkout', path, 'HEAD')
  }
  // A second step: which filters apply in the worktree is known only when it is there.
  const git = await openGit({ ...place, cwd: path, writable })
  if (canonicalPath(await git.run('rev-parse', '--show-toplevel')) !== canonicalPath(path))
    throw new Error('The configuration of this repository leads its worktree elsewhere.')
  const index = await git.run('rev-parse', '--git-path', 'index')
  if (!existsSync(resolve(path, index)))
    await git.run('reset', '--quiet', '--hard', '--no-recurse-submodules')
}

/** Removes it when nothing in it differs from the commit it was made of. True when it is still there. */
export async function closeWorktree(place: WorktreePlace): Promise<boolean> {
  const { path } = place
  const cwd = workspaceOf(place.context)
  try {
    const writable = [await repositoryDirectory(place), dirname(path)]
    const [inside, outside] = [
      await openGit({ ...place, cwd: path, writable }),
      await openGit({ ...place, cwd, writable }),
    ]
    const changed = await inside.run('status', '--porcelain', '--ignore-submodules=dirty')
    const [at, from] = [await inside.run('rev-parse', 'HEAD'), await outside.run('rev-parse', 'HEAD')]
    if (changed !== '' || at !== from) return true
    if (hasFilledSubmodule(await inside.run('ls-files', '--stage'), path)) return true
    await outside.run('worktree', 'remove', '--force', path)
    return false
  } catch {
    return existsSync(path)
  }
}

/** Git would look into a submodule by the configuration in it. A new worktree has none, so the agent filled it. */
function hasFilledSubmodule(staged: string, path: string): boolean {
  const submodules = staged.split('\n').filter(entry => entry.startsWith('160000 '))
  return submodules.some(entry => {
    const name = entry.slice(entry.indexOf('\t') + 1)
    // A quoted name has characters that git does not print as they are.
    return name.startsWith('"') || (existsSync(join(path, name)) && readdirSync(join(path, name)).length > 0)
  })
}

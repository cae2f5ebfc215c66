/**
 * A git worktree of its own for one agent: it changes files without touching the session's
 * workspace. Made once per agent; removed at the end unless the agent left something in it.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run('git', ['-C', cwd, ...args], { maxBuffer: 16 * 1024 * 1024 })
  return stdout.trim()
}

/** Why no worktree can be made of this folder; undefined when one can. */
export async function worktreeProblem(cwd: string): Promise<string | undefined> {
  try {
    await git(cwd, 'rev-parse', '--verify', 'HEAD')
    return undefined
  } catch {
    return 'isolation: worktree needs a git repository with at least one commit; leave it out here.'
  }
}

/** The worktree at `path`, of the latest commit and on no branch. Idempotent. Throws what git said. */
export async function openWorktree(cwd: string, path: string): Promise<void> {
  if (existsSync(path)) return
  await mkdir(dirname(path), { recursive: true })
  await git(cwd, 'worktree', 'add', '--detach', path, 'HEAD')
}

/** Removes it when nothing in it differs from the commit it was made of. True when it is still there. */
export async function closeWorktree(cwd: string, path: string): Promise<boolean> {
  try {
    const changed = await git(path, 'status', '--porcelain')
    const [at, from] = [await git(path, 'rev-parse', 'HEAD'), await git(cwd, 'rev-parse', 'HEAD')]
    if (changed !== '' || at !== from) return true
    await git(cwd, 'worktree', 'remove', '--force', path)
    return false
  } catch {
    return existsSync(path)
  }
}

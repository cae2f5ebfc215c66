/** The workspace of a task: its files before the request, and its files and commits afterwards. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { gitEnvironment } from '@toolwire/tools'
import type { EvalTask, WorkspaceCommits } from './eval-task.ts'

/** Content by path. */
export type WorkspaceFiles = Readonly<Record<string, string>>

/** Throws when git is needed and missing. */
export function prepareWorkspace(task: EvalTask, workspace: string): void {
  writeAll(workspace, task.files)
  if (task.git) {
    runGit(workspace, 'init', '-q', '-b', 'main')
    runGit(workspace, 'config', 'user.name', 'Eval')
    runGit(workspace, 'config', 'user.email', 'eval@example.com')
    runGit(workspace, 'add', '.')
    runGit(workspace, 'commit', '-q', '-m', 'feat: first version')
  }
  writeAll(workspace, task.uncommitted ?? {})
}

function writeAll(workspace: string, files: WorkspaceFiles): void {
  mkdirSync(workspace, { recursive: true })
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true })
    writeFileSync(join(workspace, path), text)
  }
}

const GIT_TIMEOUT_MS = 60_000

/** No setting of the user applies, and none of the repository can start a program: a model may have changed it. */
function runGit(workspace: string, ...words: readonly string[]): string {
  return execFileSync('git', words, {
    cwd: workspace,
    encoding: 'utf8',
    env: gitEnvironment({
      PATH: process.env['PATH'] ?? '',
      LC_ALL: 'C',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CEILING_DIRECTORIES: dirname(workspace),
    }),
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: GIT_TIMEOUT_MS,
  })
}

/** Empty lists when the workspace is not a repository, or no longer one. */
export function readCommits(task: EvalTask, workspace: string): WorkspaceCommits {
  if (!task.git) return { subjects: [], latest: [] }
  const linesOf = (...words: readonly string[]): readonly string[] => {
    try {
      return runGit(workspace, ...words)
        .split('\n')
        .filter(line => line !== '')
    } catch {
      return []
    }
  }
  return {
    subjects: linesOf('log', '--format=%s'),
    latest: linesOf('show', '--format=', '--name-only', 'HEAD'),
  }
}

/** Larger files are known by their size alone. */
const MAX_FILE_BYTES = 4 * 1024 * 1024

/** Regular files outside of `.git`; links are not followed. A model may have removed or locked any of them. */
export function readFiles(workspace: string): WorkspaceFiles {
  try {
    return Object.fromEntries(
      readdirSync(workspace, { recursive: true, withFileTypes: true })
        .filter(entry => entry.isFile())
        .map(entry => relative(workspace, join(entry.parentPath, entry.name)))
        .filter(path => !path.startsWith('.git/'))
        .map(path => [path, readText(join(workspace, path))]),
    )
  } catch {
    return {}
  }
}

function readText(path: string): string {
  try {
    const { size } = statSync(path)
    return size > MAX_FILE_BYTES ? `(${size} bytes)` : readFileSync(path, 'utf8')
  } catch {
    return '(unreadable)'
  }
}

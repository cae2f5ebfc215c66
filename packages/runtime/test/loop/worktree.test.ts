/** An agent with a separate worktree: its writes do not reach the session's workspace. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SessionEvent } from '@toolwire/core'
import { createMemoryStore } from '@toolwire/store'
import { createBuiltinTools, createToolSystem, findSandbox, type SandboxOptions } from '@toolwire/tools'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createRuntime } from '../../src/runtime.ts'
import { promptFor, type ScriptedCall, scriptedModel } from './scripted-model.ts'
import { fold, opening, readAll, SESSION, seed } from './stage.ts'

let dir = ''
let repo = ''
const git = (...args: string[]): string =>
  execFileSync('git', ['-C', repo, '-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
    encoding: 'utf8',
  })
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'toolwire-worktree-')))
  repo = mkdtempSync(join(dir, 'repo-'))
  git('init', '-q')
  writeFileSync(join(repo, 'a.txt'), 'old\n')
  git('add', '.')
  git('commit', '-qm', 'first')
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

async function run(calls: readonly ScriptedCall[], cwd = repo, sandbox?: SandboxOptions) {
  const store = createMemoryStore()
  const input = { prompt: promptFor([{ calls }]), isolation: 'worktree' }
  let n = 0
  const runtime = createRuntime({
    log: store,
    models: () => scriptedModel([{ calls: [{ name: 'Agent', input }] }]),
    tools: createToolSystem({
      tools: createBuiltinTools({ bash: { sandbox } }),
      artifacts: join(dir, 'artifacts'),
    }),
    ids: { uuid: () => `run-w${++n}`, prefixed: prefix => `${prefix}w${++n}` },
    clock: { now: () => new Date() },
    node: 'worktree-node',
    toolNames: [],
    maxTurns: 9,
    onError: () => {},
  })
  const [created, message] = opening('go')
  await seed(store, [{ ...created, cwd, permission_mode: 'bypassPermissions' }, message] as SessionEvent[])
  await runtime.start()
  runtime.wake(SESSION)
  await runtime.settled()
  await runtime.stop()
  const done = (await readAll(store)).flatMap(({ ev }) =>
    ev.type === 'tool.completed' && ev.agent_run_id === undefined ? [ev] : [],
  )[0]
  const results = (await fold(store)).messages.flatMap(m => (m.role === 'tool' ? m.results : []))
  return {
    path: (done?.structured as { worktreePath?: string } | undefined)?.worktreePath,
    result: results[0],
  }
}

test('its relative paths and commands are in the worktree; its changes are kept and reported', async () => {
  const { path, result } = await run([{ name: 'Bash', input: { command: 'echo new > a.txt && pwd' } }])
  expect(result?.is_error).toBe(false)
  expect(path).toMatch(/worktrees/)
  expect(readFileSync(join(path ?? '', 'a.txt'), 'utf8')).toBe('new\n')
  expect(readFileSync(join(repo, 'a.txt'), 'utf8')).toBe('old\n')
  expect(result?.output_text).toContain(`[Its worktree: ${path}]`)
})

test('one whose work is all committed is kept and reported as well', async () => {
  const command = 'echo new > a.txt && git -c user.name=t -c user.email=t@t commit -qam second'
  const { path } = await run([{ name: 'Bash', input: { command } }])
  expect(path).toMatch(/worktrees/)
  expect(readFileSync(join(path ?? '', 'a.txt'), 'utf8')).toBe('new\n')
  expect(git('log', '--format=%s').trim()).toBe('first')
})

test('one that changed nothing leaves no worktree behind', async () => {
  const { path, result } = await run([{ name: 'Bash', input: { command: 'cat a.txt' } }])
  expect(result?.output_text).toContain('old')
  expect(path).toBeUndefined()
  expect(git('worktree', 'list').trim().split('\n')).toHaveLength(1)
})

test('a folder that is no repository is said, and nothing is started', async () => {
  const plain = mkdtempSync(join(dir, 'plain-'))
  const { result } = await run([], plain)
  expect(result).toMatchObject({
    is_error: true,
    output_text: expect.stringMatching(/needs a git repository/),
  })
  expect(existsSync(join(dir, 'artifacts', SESSION, 'worktrees'))).toBe(false)
})

test.runIf((await findSandbox()).available)(
  'in a sandbox it can write its worktree, and not the workspace',
  async () => {
    const command = `echo new > a.txt; echo new > ${repo}/a.txt; true`
    const { path } = await run([{ name: 'Bash', input: { command } }], repo, { hidden: [dir] })
    expect(readFileSync(join(path ?? '', 'a.txt'), 'utf8')).toBe('new\n')
    expect(readFileSync(join(repo, 'a.txt'), 'utf8')).toBe('old\n')
  },
)

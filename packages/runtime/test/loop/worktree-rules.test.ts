/** An agent with a worktree is bound by the rules of the session's workspace, there and in its own. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SessionEvent } from '@toolwire/core'
import { createBuiltinTools, createProjectRules, createToolSystem } from '@toolwire/tools'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runWithTools } from './run-with-tools.ts'
import { promptFor, type ScriptedCall, scriptedModel } from './scripted-model.ts'
import { opening, readAll } from './stage.ts'

const SECRET = 'TOP-SECRET-7731'
let dir = ''
let repo = ''
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'toolwire-worktree-rules-')))
  repo = join(dir, 'repo')
  mkdirSync(join(repo, 'secrets'), { recursive: true })
  writeFileSync(join(repo, 'secrets', 'key.txt'), SECRET)
  writeFileSync(join(repo, 'plain.txt'), 'public')
  const git = (...args: string[]): void => {
    execFileSync('git', ['-C', repo, '-c', 'user.name=t', '-c', 'user.email=t@t', ...args])
  }
  git('init', '-q')
  git('add', '.')
  git('commit', '-qm', 'first')
  // Not in the repository, so that the worktree has no such file.
  mkdirSync(join(repo, '.toolwire'))
  const settings = { permissions: { deny: ['Read(secrets/**)'] } }
  writeFileSync(join(repo, '.toolwire', 'settings.json'), JSON.stringify(settings))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

test.each(['worktree', undefined])('with the isolation %s it reads no withheld file', async isolation => {
  const calls: readonly ScriptedCall[] = [
    { name: 'Read', input: { file_path: 'plain.txt' } },
    { name: 'Read', input: { file_path: 'secrets/key.txt' } },
    { name: 'Read', input: { file_path: join(repo, 'secrets', 'key.txt') } },
    { name: 'Bash', input: { command: `cat ${join(repo, 'secrets', 'key.txt')}` } },
    { name: 'Grep', input: { pattern: 'TOP|public', output_mode: 'content' } },
  ]
  const agent = { prompt: promptFor([{ calls }]), ...(isolation === undefined ? {} : { isolation }) }
  const tools = createToolSystem({
    tools: createBuiltinTools(),
    artifacts: join(dir, 'artifacts'),
    permissions: { project: createProjectRules(join(dir, 'trusted.json')) },
  })
  const [created, message] = opening('go')
  const events = [{ ...created, cwd: repo, permission_mode: 'bypassPermissions' }, message] as SessionEvent[]
  const model = scriptedModel([{ calls: [{ name: 'Agent', input: agent }] }])
  const { store, runtime } = await runWithTools(model, tools, events)
  await runtime.stop()
  const ends = (await readAll(store)).flatMap(({ ev }) =>
    ev.type === 'tool.failed' && ev.agent_run_id !== undefined ? [ev.error.code] : [],
  )
  expect(ends).toEqual(['denied_rule', 'denied_rule', 'denied_rule'])
  const log = JSON.stringify(await readAll(store))
  expect(log).toContain('public')
  expect(log).not.toContain(SECRET)
})

/** Explaining a permission: the verdict the call itself would get, and nothing happens. */
import { join } from 'node:path'
import { evolve, initial, type SessionState } from '@toolwire/core'
import { expect, test } from 'vitest'
import { createBuiltinTools } from '../src/builtin/builtin-tools.ts'
import { createToolSystem } from '../src/create-tool-system.ts'

const session = (permission_mode = 'default', tools: string[] = ['*']): SessionState =>
  evolve(initial(), {
    seq: 1,
    epoch: 1,
    ev: { type: 'session.created', ts: '', cwd: '/nowhere', model: 'm', tools, permission_mode },
  })

const system = createToolSystem({
  tools: createBuiltinTools(),
  artifacts: join('/nowhere', 'artifacts'),
  permissions: { rules: { deny: ['Bash(rm:*)'], allow: ['Bash(npm test)'] }, source: 'project' },
})
const explain = (tool: string, input: unknown, state = session()) =>
  system.explain({ session_id: 's', session: state, tool, input })

test('a command line names every part with the rule that decided it', async () => {
  expect(await explain('Bash', { command: 'npm test && rm -rf build' })).toMatchObject({
    decision: 'deny',
    code: 'denied_rule',
    rule: { text: 'Bash(rm:*)', decision: 'deny', source: 'project' },
    parts: [
      { text: 'npm test', decision: 'allow', rule: 'Bash(npm test)' },
      { decision: 'deny', rule: 'Bash(rm:*)' },
    ],
  })
})

test('a question names the narrowest rule that would answer it', async () => {
  const told = await explain('Bash', { command: 'make all' })
  expect(told).toMatchObject({ decision: 'ask', mode: 'default', read_only: false })
  expect(told.suggested_rule).toMatch(/^Bash\(make/)
  expect(told.subject).toEqual({ type: 'command', command: 'make all' })
})

test('the mode decides where no rule does', async () => {
  const write = { file_path: '/nowhere/a.txt', content: 'x' }
  expect(await explain('Write', write)).toMatchObject({ decision: 'ask' })
  expect(await explain('Write', write, session('plan'))).toMatchObject({
    decision: 'deny',
    code: 'denied_mode',
    mode: 'plan',
  })
  expect(await explain('Write', write, session('bypassPermissions'))).toMatchObject({ decision: 'allow' })
})

test('a call that no tool could take is denied with the reason', async () => {
  expect(await explain('Bsh', { command: 'ls' })).toMatchObject({ decision: 'deny', code: 'unknown_tool' })
  expect(await explain('Bash', { comand: 'ls' })).toMatchObject({ decision: 'deny', code: 'invalid_input' })
  expect(await explain('Bash', { command: 'ls' }, session('default', ['Read']))).toMatchObject({
    decision: 'deny',
    reason: expect.stringContaining('disabled'),
  })
})

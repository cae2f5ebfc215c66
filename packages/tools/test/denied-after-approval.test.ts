/** A denying rule holds against the approver: edited arguments, a later rule, another folder. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { createBuiltinTools } from '../src/builtin/builtin-tools.ts'
import { createProjectRules, settingsPath } from '../src/permissions/project-rules.ts'
import { codeOf, createStage, type Stage, type StageOptions, textOf } from './stage.ts'

let stage: Stage | undefined
const open = (options: Partial<StageOptions>): Stage => {
  stage = createStage({ tools: createBuiltinTools(), ...options })
  return stage
}
afterEach(() => {
  stage?.close()
  stage = undefined
})

test('arguments that a user edited into what a rule denies are not run, and the rule is named', async () => {
  const s = open({ permissions: { rules: { deny: ['Bash(rm:*)'] }, source: 'project' } })
  writeFileSync(s.path('kept.txt'), 'x')
  s.approve(await s.one('Bash', { command: 'touch made' }), {
    edited_input_text: '{"command":"rm kept.txt"}',
  })
  await s.settle()
  expect(codeOf(s.state().calls[0])).toBe('denied_rule')
  expect(textOf(s.state().calls[0])).toContain('Bash(rm:*) (project)')
  expect(existsSync(s.path('kept.txt'))).toBe(true)
})

test('arguments that a person edited into what a rule asks about are run: they were asked', async () => {
  const s = open({ permissions: { rules: { ask: ['Bash(rm:*)'] } } })
  writeFileSync(s.path('gone.txt'), 'x')
  s.approve(await s.one('Bash', { command: 'touch made' }), {
    edited_input_text: '{"command":"rm gone.txt"}',
  })
  await s.settle()
  expect(existsSync(s.path('gone.txt'))).toBe(false)
  expect(s.events('tool.approval_requested')).toHaveLength(1)
})

test('a rule that came while the question waited denies the call', async () => {
  const folder = open({})
  const project = createProjectRules(folder.path('trusted.json'))
  const s = createStage({ tools: createBuiltinTools(), permissions: { project } })
  const call = await s.one('Write', { file_path: s.path('new.txt'), content: 'x' })
  expect(call.approval).toBeDefined()
  mkdirSync(s.path('.toolwire'))
  writeFileSync(settingsPath(s.workspace), JSON.stringify({ permissions: { deny: ['Write'] } }))
  s.approve(call)
  await s.settle()
  expect(codeOf(s.state().calls[0])).toBe('denied_rule')
  expect(existsSync(s.path('new.txt'))).toBe(false)
  s.close()
})

test('an approval holds in a mode that never asks', async () => {
  const s = open({})
  const call = await s.one('Bash', { command: 'touch made' })
  s.append({ type: 'session.updated', ts: new Date().toISOString(), permission_mode: 'dontAsk' })
  s.approve(call)
  await s.settle()
  expect(existsSync(s.path('made'))).toBe(true)
})

test('an approved call that an earlier one moved into a denied folder is not run there', async () => {
  const s = open({ permissions: { rules: { deny: ['Edit(secret/**)'] } } })
  mkdirSync(s.path('secret'))
  await s.say([
    { name: 'Bash', input: { command: 'touch moved && cd secret' } },
    { name: 'Write', input: { file_path: 'a.txt', content: 'x' } },
  ])
  expect(await s.settle()).toBe('pause')
  for (const call of s.state().calls) s.approve(call)
  expect(await s.settle()).toBe('call-model')
  const [command, write] = s.state().calls
  expect(command?.outcome?.is_error).toBe(false)
  expect(codeOf(write)).toBe('denied_rule')
  expect(existsSync(s.path('secret', 'a.txt'))).toBe(false)
})

test('a rule that came with a denial is not remembered', async () => {
  const s = open({})
  s.approve(await s.one('Bash', { command: 'touch made' }), { decision: 'denied', rule: 'Bash(touch:*)' })
  await s.settle()
  expect((await s.one('Bash', { command: 'touch other' })).approval).toBeDefined()
})

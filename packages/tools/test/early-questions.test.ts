/** Questions about calls while the model still writes. */
import { existsSync, writeFileSync } from 'node:fs'
import { isWaiting } from '@toolwire/core'
import { afterEach, expect, test } from 'vitest'
import { createBuiltinTools } from '../src/builtin/builtin-tools.ts'
import { codeOf, createStage, type Stage, type StageOptions, textOf } from './stage.ts'

let stage: Stage | undefined
function open(options: Partial<StageOptions> = {}): Stage {
  stage = createStage({ tools: createBuiltinTools(), ...options })
  return stage
}
afterEach(() => {
  stage?.close()
  stage = undefined
})

const positions = (s: Stage, type: string): readonly number[] =>
  s.records.filter(rec => rec.ev.type === type).map(rec => rec.seq)

test('a call that needs an approval asks before the message has ended', async () => {
  const s = open()
  await s.say([{ name: 'Bash', input: { command: 'touch x' } }], 'tool_calls', true)
  const [asked] = positions(s, 'tool.approval_requested')
  const [ended] = positions(s, 'turn.completed')
  expect(asked).toBeLessThan(ended ?? 0)
  expect(await s.settle()).toBe('pause')
  expect(s.events('tool.approval_requested')).toHaveLength(1)
})

test('an answer that arrives while the model still writes is processed when the message has ended', async () => {
  const s = open()
  await s.say([{ name: 'Bash', input: { command: 'echo hi > x && cat x' } }], 'tool_calls', true)
  const [call] = s.state().calls
  if (call) s.approve(call)
  expect(await s.settle()).toBe('call-model')
  expect(textOf(s.state().calls[0])).toContain('hi')
})

test('reading that does not conflict begins early beside a question; reading that does waits for the answer', async () => {
  const s = open()
  writeFileSync(s.path('a.txt'), 'old a')
  writeFileSync(s.path('b.txt'), 'old b')
  await s.one('Read', { file_path: s.path('b.txt') })
  await s.say(
    [
      { name: 'Write', input: { file_path: s.path('b.txt'), content: 'new b' } },
      { name: 'Read', input: { file_path: s.path('a.txt') } },
      { name: 'Read', input: { file_path: s.path('b.txt') } },
    ],
    'tool_calls',
    true,
  )
  const [, other] = s.state().calls
  expect(s.events('tool.started').some(ev => ev.call_id === other?.call_id)).toBe(true)
  expect(await s.settle()).toBe('pause')
  expect(s.state().calls.map(call => call.outcome !== undefined)).toEqual([false, true, false])
  const [write] = s.state().calls
  if (write) s.approve(write)
  expect(await s.settle()).toBe('call-model')
  expect(textOf(s.state().calls[2])).toContain('new b')
})

test('what writes does not begin before the message has ended, whatever it is allowed', async () => {
  const s = open({ mode: 'bypassPermissions' })
  await s.say(
    [
      { name: 'Write', input: { file_path: s.path('new.txt'), content: 'x' } },
      { name: 'Bash', input: { command: 'touch other.txt' } },
    ],
    'tool_calls',
    true,
  )
  expect(s.events('tool.started')).toEqual([])
  expect([existsSync(s.path('new.txt')), existsSync(s.path('other.txt'))]).toEqual([false, false])
  expect(await s.settle()).toBe('call-model')
  expect([existsSync(s.path('new.txt')), existsSync(s.path('other.txt'))]).toEqual([true, true])
})

test('a message that the output limit cuts withdraws its questions, and nothing runs', async () => {
  const s = open()
  await s.say([{ name: 'Bash', input: { command: 'touch x' } }], 'length', true)
  expect(s.events('tool.approval_requested')).toHaveLength(1)
  await s.system().settle(s.state().calls.filter(isWaiting), s.scope, s.voice())
  expect(codeOf(s.state().calls[0])).toBe('truncated')
  expect(s.events('tool.approval_resolved')).toMatchObject([{ decision: 'cancelled' }])
})

test('an approval given early does not run a call whose message was cut', async () => {
  const s = open()
  await s.say([{ name: 'Bash', input: { command: 'touch x' } }], 'length', true)
  const [call] = s.state().calls
  if (call) s.approve(call)
  await s.settle()
  expect(codeOf(s.state().calls[0])).toBe('truncated')
  expect(s.events('tool.started')).toHaveLength(0)
})

test('a call that cannot work is not asked about', async () => {
  const s = open()
  writeFileSync(s.path('a.txt'), 'one')
  const edit = { file_path: s.path('a.txt'), old_string: 'one', new_string: 'two' }
  await s.say([{ name: 'Edit', input: edit }], 'tool_calls', true)
  await s.settle()
  expect(s.events('tool.approval_requested')).toHaveLength(0)
  expect(codeOf(s.state().calls[0])).toBe('not_read')
})

test('a call that hooks watch is asked about in its turn, after them', async () => {
  const s = open({ hooks: { before_tool: [{ command: 'true' }] } })
  await s.say([{ name: 'Bash', input: { command: 'touch x' } }], 'tool_calls', true)
  expect(s.events('tool.approval_requested')).toHaveLength(0)
  expect(await s.settle()).toBe('pause')
})

/** A conversation without what clients change between two requests. */
import type { ToolSpec } from '@toolwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { answerEcho, decodeCompletionRequest, decodeMessagesRequest } from '../../src/index.ts'

const schema = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    replace_all: { type: 'boolean', default: false },
    range: { type: 'object', properties: { from: { type: 'number', default: 0 } }, default: {} },
  },
}
const tools: readonly ToolSpec[] = [{ name: 'Edit', input_schema: schema }]
const tool = tools[0]

type Message = Record<string, unknown>
const echo = (messages: readonly Message[]) => decodeCompletionRequest({ messages }).echo(tools)
const call = (text: string, id = 'c1') => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name: 'Edit', arguments: text } }],
})
const result = { role: 'tool', tool_call_id: 'c1', content: 'ok' }
const user = (content: string) => ({ role: 'user', content })
const system = (content: string) => ({ role: 'system', content })
const before = (messages: readonly Message[]) => echo([...messages, call('{}')]).before

test.each([
  ['spaces and order of keys', '{ "path": "a", "replace_all": true }', '{"replace_all":true,"path":"a"}'],
  ['escapes', '{"path":"\\u0061"}', '{"path":"a"}'],
  ['numbers', '{"n":1.0,"m":1e2}', '{"n":1,"m":100}'],
  ['a default', '{"path":"a"}', '{"path":"a","replace_all":false}'],
  ['a nested default', '{"range":{"to":2}}', '{"range":{"to":2,"from":0}}'],
  ['a default that is an object', '{}', '{"range":{}}'],
  ['no arguments', '', '{}'],
])('arguments that differ in %s are equal', (_, one, other) => {
  expect(echo([user('a'), call(one), result]).before).toEqual(echo([user('a'), call(other), result]).before)
})

test.each([
  ['a value', '{"path":"a"}', '{"path":"b"}'],
  ['a value that is not the default', '{"path":"a"}', '{"path":"a","replace_all":true}'],
  ['an unknown key', '{"path":"a"}', '{"path":"a","force":false}'],
  ['a key that objects inherit', '{"path":"a"}', '{"path":"a","__proto__":{"x":1}}'],
  ['an array and an object', '{"a":[]}', '{"a":{}}'],
  ['a type', '{"a":"1"}', '{"a":1}'],
])('arguments that differ in %s are not', (_, one, other) => {
  expect(before([user('a'), call(one), result])).not.toEqual(before([user('a'), call(other), result]))
})

test('a default of a tool that the request does not know is not left out', () => {
  const unknown = decodeCompletionRequest({ messages: [user('a'), call('{"replace_all":false}'), result] })
  expect(unknown.echo([]).before).not.toEqual(unknown.echo(tools).before)
})

test('reminders, system messages in the middle and dates of the system prompt are left out', () => {
  const plain = before([system('You help.'), user('a'), call('{}', 'c0'), result])
  expect(
    before([
      system('You help.'),
      user('<system-reminder>x</system-reminder>\na'),
      call('{}', 'c0'),
      result,
      system('be brief'),
      user('<info-msg>1</info-msg> <info-msg>2</info-msg>'),
    ]),
  ).toEqual(plain)
  const dated = (date: string) => before([system(`It is ${date}.`), user('a')])
  const dates = ['2026-11-18', '2026-11-18T06:20:01.5Z', '11/18/2026', '6:20 PM', '10:15:30']
  for (const date of dates) expect(dated(date), date).toEqual(dated(date.replaceAll(/[1-9]/g, '2')))
  expect(dated('Tuesday, Nov 18')).toEqual(dated('Wednesday, Dec 9'))
  expect(before([system('Use port 8000.'), user('a')])).not.toEqual(
    before([system('Use port 9000.'), user('a')]),
  )
  expect(before([user('meet at 10:15')])).not.toEqual(before([user('meet at 10:20')]))
})

test('reminders right before and after the latest assistant message are kept aside', () => {
  const note = (text: string) => user(`<info-msg>${text}</info-msg>`)
  const { notes } = echo([
    note('old'),
    call('{}', 'c0'),
    note('new'),
    system('s'),
    call('{}'),
    result,
    note('now'),
  ])
  expect(notes.before).toEqual([
    { role: 'user', text: '<info-msg>new</info-msg>' },
    { role: 'system', text: 's' },
  ])
  expect(notes.after).toEqual([{ role: 'user', text: '<info-msg>now</info-msg>' }])
})

test('the response looks as its client sends it back, on both wires', () => {
  const blocks = [
    { kind: 'text', text: 'let me ' },
    { kind: 'call', call_id: 'c1', name: 'Edit', arguments: '{ "path": "a", "replace_all": false }', tool },
  ] as const
  const said = answerEcho(blocks, {})
  const chat = { ...call('{"path":"a"}'), content: 'let me' }
  expect(echo([user('a'), chat, result]).before.at(-1)).toBe(said)
  const content = [
    { type: 'thinking', thinking: 'hm', signature: 's' },
    { type: 'text', text: 'let me' },
    { type: 'tool_use', id: 'c1', name: 'Edit', input: { replace_all: false, path: 'a' } },
  ]
  const messages = [user('a'), { role: 'assistant', content }, user('b')]
  expect(decodeMessagesRequest({ max_tokens: 1, messages }).echo(tools).before.at(-1)).toBe(said)
})

test('any arguments equal themselves when they are written in another way', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), value => {
      const sorted = Object.fromEntries(Object.entries(value).toReversed())
      const [one, other] = [JSON.stringify(value), JSON.stringify(sorted, null, 2)]
      expect(before([user('a'), call(one), result])).toEqual(before([user('a'), call(other), result]))
    }),
  )
})

test('hostile input is no more than text: depth, many values, tags that are never closed', () => {
  const deep = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
  expect(echo([user('a'), call(deep), result]).before).toHaveLength(2)
  const nested = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)
  const input_schema = { type: 'object', properties: { path: { default: nested } } }
  const request = decodeCompletionRequest({ messages: [user('a'), call('{"path":"a"}'), result] })
  expect(request.echo([{ name: 'Edit', input_schema }]).before).toHaveLength(2)
  const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, i])))
  const many = Array.from({ length: 20 }, (_, i) => [
    call(wide, `c${i}`),
    { ...result, tool_call_id: `c${i}` },
  ])
  expect(echo([user('a'), ...many.flat()]).before).toHaveLength(40)
  const open = '<system-reminder><info-msg>'.repeat(100_000)
  expect(echo([user(open), call('{}')]).before).toHaveLength(2)
  const closed = '<info-msg></info-msg>'.repeat(100_000)
  expect(echo([user(closed), call('{}')]).before).toHaveLength(1)
})

/** The dialect before tools: `functions`, `function_call`, role `function`. */
import { expect, test } from 'vitest'
import { decodeCompletionRequest } from '../../src/index.ts'

const user = { role: 'user', content: 'a' }
const called = (name: string, args = '{}') => ({
  role: 'assistant',
  content: null,
  function_call: { name, arguments: args },
})
const result = (name: string, content: string) => ({ role: 'function', name, content })
const decode = (body: object) => decodeCompletionRequest({ model: 'claude-test', messages: [user], ...body })
const functions = [{ name: 'f' }, { name: 'g' }]

test.each([
  ['auto', { type: 'auto' }],
  ['none', { type: 'none' }],
  [{ name: 'g' }, { type: 'tool', name: 'g' }],
  [undefined, undefined],
])('function_call %j is the choice %j, one call at a time', (function_call, expected) => {
  const { options, legacy } = decode({ functions, function_call })
  expect(legacy).toBe(true)
  expect(options['tool_choice']).toEqual(expected)
  expect(options['parallel_tool_calls']).toBe(false)
})

test('a result goes to the nearest call of its name before it, and the same history gets the same ids', () => {
  const messages = [
    user,
    called('f', '{"n":1}'),
    result('f', 'one'),
    called('g'),
    result('g', 'two'),
    called('f', '{"n":2}'),
    result('f', 'three'),
    { role: 'assistant', content: 'so' },
    user,
  ]
  const { history } = decode({ functions, messages })
  const results = history.flatMap(message => (message.role === 'tool' ? message.results : []))
  expect(results.map(one => [one.call_id, one.name, one.output_text])).toEqual([
    ['call_fn_0', 'f', 'one'],
    ['call_fn_1', 'g', 'two'],
    ['call_fn_2', 'f', 'three'],
  ])
  expect(decode({ functions, messages }).history).toEqual(history)
})

test('a result without a call becomes a text, and a call without a result gets an error, each with a warning', () => {
  const { history, tail, warnings } = decode({
    functions,
    messages: [user, called('f'), result('g', 'stray'), user],
  })
  expect(warnings.map(warning => warning.code)).toEqual(['orphan_result', 'missing_result'])
  expect(history.at(-1)).toMatchObject({ role: 'tool', results: [{ call_id: 'call_fn_0', is_error: true }] })
  expect(JSON.stringify(tail)).toContain('stray')
})

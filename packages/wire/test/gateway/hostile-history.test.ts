/** Histories that take too long to handle are rejected by their field, and text of any form is read in linear time. */
import { describe, expect, test } from 'vitest'
import { decodeCompletionRequest, decodeMessagesRequest, decodeResponsesRequest } from '../../src/index.ts'

const MANY = 2_001
const user = { role: 'user', content: 'go' }
const ids = Array.from({ length: MANY }, (_, n) => `c${n}`)
const call = (call_id: string, args = '{}') => ({
  type: 'function_call',
  call_id,
  name: 'f',
  arguments: args,
})

const FULL: Readonly<Record<string, () => unknown>> = {
  'openai-responses, calls': () => decodeResponsesRequest({ input: [...ids.map(id => call(id)), user] }),
  'openai-responses, messages of the model': () =>
    decodeResponsesRequest({ input: [...ids.map(content => ({ role: 'assistant', content })), user] }),
  'anthropic-messages': () => {
    const content = ids.map(id => ({ type: 'tool_use', id, name: 'f', input: {} }))
    return decodeMessagesRequest({ max_tokens: 9, messages: [user, { role: 'assistant', content }, user] })
  },
}

test.each(Object.keys(FULL))('%s: a message of the model has at most 2,000 parts', name => {
  const decode = FULL[name]
  if (!decode) throw new Error(name)
  expect(decode).toThrow(expect.objectContaining({ code: 'payload_too_large' }))
  expect(decode).toThrow(`${MANY} entries, at most 2000 are allowed`)
})

test('a request has at most 4,000 input items', () => {
  const input = Array.from({ length: 4_001 }, () => user)
  expect(() => decodeResponsesRequest({ input })).toThrow('input: 4001 entries, at most 4000 are allowed')
})

describe('arguments that are nested too deeply', () => {
  const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  const wrapped = { type: 'tool_use', input_text: JSON.stringify({ _raw: deep }) }

  test('are passed on as text by openai-responses', () => {
    const { history, warnings } = decodeResponsesRequest({
      input: [user, call('c', deep), { type: 'function_call_output', call_id: 'c', output: 'x' }],
    })
    expect(history[1]).toMatchObject({ content: [wrapped] })
    expect(warnings).toMatchObject([{ code: 'arguments_wrapped' }])
  })

  test('are passed on as text by openai-chat', () => {
    const tool_calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: deep } }]
    const messages = [
      user,
      { role: 'assistant', tool_calls },
      { role: 'tool', tool_call_id: 'c', content: 'x' },
    ]
    expect(decodeCompletionRequest({ messages }).history[1]).toMatchObject({ content: [wrapped] })
  })
})

test('a file of text is read as UTF-8, whatever its size', () => {
  const text = '沈阳 ☀️ '.repeat(100_000)
  const file_data = `data:text/plain;base64,${Buffer.from(text).toString('base64')}`
  const part = { type: 'input_file', filename: 'a.txt', file_data }
  const { tail } = decodeResponsesRequest({ input: [{ role: 'user', content: [part] }] })
  expect(tail).toMatchObject({ content: [{ type: 'document', source: { type: 'text', data: text } }] })
})

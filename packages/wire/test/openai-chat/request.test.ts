/** Chat Completions requests in canonical words, and what is refused. */
import { AppError } from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import { decodeCompletionRequest } from '../../src/index.ts'

const decode = (body: object, options = {}) =>
  decodeCompletionRequest(
    { model: 'claude-x', messages: [{ role: 'user', content: 'hi' }], ...body },
    options,
  )
const refusal = (body: object, options = {}): string => {
  try {
    decode(body, options)
  } catch (error) {
    if (AppError.is(error) && error.code === 'bad_request') return error.message
    throw error
  }
  throw new Error('nothing was refused')
}
const codes = (request: { warnings: readonly { code: string }[] }) => request.warnings.map(({ code }) => code)
const text = (value: string) => [{ type: 'text', text: value }]
const tool = (name: string, more = {}) => ({ type: 'function', function: { name, ...more } })
const call = (id: string, name: string, args = '{}') => ({
  id,
  type: 'function',
  function: { name, arguments: args },
})

test('system and developer messages keep their positions, each a separate message', () => {
  const { history, tail } = decode({
    messages: [
      { role: 'system', content: 'one' },
      { role: 'developer', content: [{ type: 'text', text: 'two' }] },
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b' },
      { role: 'system', content: 'three' },
      { role: 'user', content: 'c' },
    ],
  })
  expect(history).toEqual([
    { role: 'system', content: text('one') },
    { role: 'system', content: text('two') },
    { role: 'user', content: text('a') },
    { role: 'assistant', provider: 'openai', content: text('b') },
    { role: 'system', content: text('three') },
  ])
  expect(tail).toEqual({ type: 'message', content: text('c') })
  expect(refusal({ messages: [{ role: 'system', content: 'only' }] })).toMatch(
    /^messages: .*only instructions/,
  )
})

test('empty texts vanish, and consecutive user messages are one', () => {
  const { history, tail } = decode({
    messages: [
      { role: 'user', content: '  ' },
      { role: 'user', content: 'a' },
      {
        role: 'user',
        content: [
          { type: 'text', text: '' },
          { type: 'text', text: 'b' },
        ],
      },
    ],
  })
  expect(history).toEqual([])
  expect(tail).toEqual({ type: 'message', content: [...text('a'), ...text('b')] })
  expect(
    decode({
      messages: [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'so' },
      ],
    }).tail,
  ).toEqual({
    type: 'continue',
  })
})

test('a request that says nothing is refused', () => {
  for (const content of ['', ' ', null, []])
    expect(refusal({ messages: [{ role: 'user', content }] })).toMatch(/^messages: .*empty/)
})

test('results come right after their calls, in call order, before any text', () => {
  const { history, tail, warnings } = decode({
    messages: [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: null, tool_calls: [call('x', 'f'), call('y', 'g')] },
      { role: 'user', content: 'meanwhile' },
      { role: 'tool', tool_call_id: 'y', content: 'Y' },
      { role: 'tool', tool_call_id: 'x', content: [{ type: 'text', text: 'X' }], is_error: true },
      { role: 'assistant', content: 'done' },
      { role: 'user', content: 'b' },
    ],
  })
  expect(warnings).toEqual([])
  expect(history.map(message => message.role)).toEqual(['user', 'assistant', 'tool', 'user', 'assistant'])
  expect(history[2]).toMatchObject({
    results: [
      { call_id: 'x', name: 'f', output_text: 'X', is_error: true },
      { call_id: 'y', name: 'g', output_text: 'Y', is_error: false },
    ],
  })
  expect(tail).toEqual({ type: 'message', content: text('b') })
})

test('results at the end are the tail', () => {
  const request = decode({
    messages: [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'let me', tool_calls: [call('x', 'f', '{"b":1,"a":2}')] },
      { role: 'tool', tool_call_id: 'x', content: 'X' },
    ],
  })
  expect(request.tail).toMatchObject({
    type: 'results',
    missing: [],
    results: [{ call_id: 'x', output_text: 'X' }],
  })
  expect(request.history.at(-1)).toEqual({
    role: 'assistant',
    provider: 'openai',
    content: [
      ...text('let me'),
      // Byte for byte: key order matters to prompt caches.
      { type: 'tool_use', call_id: 'x', name: 'f', input_text: '{"b":1,"a":2}' },
    ],
  })
  expect(request.answered).toBe(2)
  expect(request.calls).toEqual([{ call_id: 'x', name: 'f' }])
})

const broken = {
  messages: [
    { role: 'user', content: 'a' },
    { role: 'assistant', tool_calls: [call('x', 'f'), call('y', 'g', 'oops')] },
    { role: 'tool', tool_call_id: 'y', content: 'first' },
    { role: 'tool', tool_call_id: 'y', content: 'second' },
    { role: 'tool', tool_call_id: 'z', content: 'stray' },
    { role: 'user', content: 'b' },
  ],
}

test('orphans, gaps, doubles and broken arguments are repaired, and each repair is reported', () => {
  const request = decode(broken)
  expect(codes(request)).toEqual(['arguments_wrapped', 'duplicate_result', 'orphan_result', 'missing_result'])
  expect(request.history[1]).toMatchObject({ content: [{}, { input_text: '{"_raw":"oops"}' }] })
  expect(request.history[2]).toMatchObject({
    results: [
      { call_id: 'x', is_error: true, output_text: 'No result was recorded for this call.' },
      { call_id: 'y', output_text: 'second' },
    ],
  })
  expect(request.tail).toEqual({
    type: 'message',
    content: [...text('Result of an unknown call (z): stray'), ...text('b')],
  })
})

test('a strict request is refused with the place and the id instead', () => {
  expect(refusal(broken, { strict: true })).toBe(
    'messages.1: the arguments of the call y are no JSON object; they are passed on as text.',
  )
  expect(
    refusal(
      {
        messages: [
          { role: 'user', content: 'a' },
          { role: 'tool', tool_call_id: 'z', content: 's' },
        ],
      },
      { strict: true },
    ),
  ).toMatch(/^messages\.1: no call has the id z/)
})

test('the old dialect gets ids by position and pairs results by name', () => {
  const request = decode({
    functions: [{ name: 'f', parameters: { type: 'object' } }, { name: 'g' }],
    function_call: { name: 'g' },
    messages: [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{"n":1}' } },
      { role: 'function', name: 'f', content: 'F' },
      { role: 'assistant', content: null, function_call: { name: 'g', arguments: '' } },
      { role: 'function', name: 'g', content: 'G' },
    ],
  })
  expect(request).toMatchObject({ legacy: true, by_name: true, warnings: [] })
  expect(request.options).toMatchObject({
    parallel_tool_calls: false,
    tool_choice: { type: 'tool', name: 'g' },
  })
  expect(request.history[1]).toMatchObject({ content: [{ call_id: 'call_fn_0', input_text: '{"n":1}' }] })
  expect(request.history[2]).toMatchObject({ results: [{ call_id: 'call_fn_0', output_text: 'F' }] })
  expect(request.history[3]).toMatchObject({ content: [{ call_id: 'call_fn_1', input_text: '{}' }] })
  expect(request.tail).toMatchObject({ type: 'results', results: [{ call_id: 'call_fn_1', name: 'g' }] })
  expect(request.client_tools[1]).toEqual({ name: 'g', input_schema: { type: 'object', properties: {} } })
  expect(refusal({ functions: [{ name: 'f' }], tools: [tool('f')] })).toMatch(/^functions: /)
})

test('images and files are read; unsupported ones are rejected', () => {
  const parts = (content: unknown[]) => decode({ messages: [{ role: 'user', content }] }).tail
  expect(
    parts([
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'high' } },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
      { type: 'file', file: { filename: 'a.txt', file_data: 'data:text/plain;base64,aGk=' } },
    ]),
  ).toEqual({
    type: 'message',
    content: [
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
      {
        type: 'document',
        title: 'a.pdf',
        source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' },
      },
      { type: 'document', title: 'a.txt', source: { type: 'text', media_type: 'text/plain', data: 'hi' } },
    ],
  })
  for (const part of [
    { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
    { type: 'file', file: { file_id: 'file-1' } },
    { type: 'image_url', image_url: { url: 'ftp://example.com/a.png' } },
  ])
    expect(refusal({ messages: [{ role: 'user', content: [part] }] })).toMatch(/^messages\.0\.content/)
})

test('an image in a result is kept, and a result may be empty', () => {
  const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
  const { tail } = decode({
    messages: [
      { role: 'user', content: 'a' },
      { role: 'assistant', tool_calls: [call('x', 'f'), call('y', 'f')] },
      { role: 'tool', tool_call_id: 'x', content: [{ type: 'text', text: 'see' }, picture] },
      { role: 'tool', tool_call_id: 'y' },
    ],
  })
  expect(tail).toMatchObject({
    results: [
      { output_text: 'see', content: [{ type: 'text' }, { type: 'image' }] },
      { output_text: '', content: [] },
    ],
  })
})

test.each([
  ['auto', { type: 'auto' }],
  ['none', { type: 'none' }],
  ['required', { type: 'any' }],
  [tool('f'), { type: 'tool', name: 'f' }],
])('tool_choice %j is %j', (given, expected) => {
  expect(decode({ tools: [tool('f')], tool_choice: given }).options['tool_choice']).toEqual(expected)
})

test('allowed_tools offers only those tools, and its mode is the choice', () => {
  const choose = (mode: string) =>
    decode({
      tools: [tool('f'), tool('g')],
      tool_choice: { type: 'allowed_tools', allowed_tools: { mode, tools: [tool('g')] } },
    })
  expect(choose('auto').client_tools.map(({ name }) => name)).toEqual(['g'])
  expect(choose('auto').options).toMatchObject({ tool_choice: { type: 'auto' }, tools_brought: ['f', 'g'] })
  expect(choose('required').options['tool_choice']).toEqual({ type: 'any' })
  expect(refusal({ tools: [tool('f')], tool_choice: tool('h') })).toMatch(/^tool_choice: .*"h"/)
  expect(refusal({ tools: [{ type: 'custom', custom: { name: 'f' } }] })).toMatch(/^tools\.0\.type: /)
})

test('schemas, descriptions and strict pass through as received', () => {
  const parameters = { oneOf: [{ type: 'object' }], $defs: { a: { type: 'string' } } }
  const description = 'd'.repeat(5000)
  const { client_tools } = decode({
    tools: [tool('f', { parameters, description, strict: true }), tool('g')],
  })
  expect(client_tools).toEqual([
    { name: 'f', description, input_schema: parameters, strict: true },
    { name: 'g', input_schema: { type: 'object', properties: {} } },
  ])
})

test('limits, stops and sampling have the names that models know', () => {
  const { options, warnings } = decode({
    max_tokens: 5,
    max_completion_tokens: 99.6,
    stop: 'END',
    temperature: 0.5,
    parallel_tool_calls: false,
    reasoning_effort: 'low',
    response_format: { type: 'json_schema', json_schema: { name: 'x', schema: {} } },
  })
  expect(options).toEqual({
    max_tokens: 100,
    stop: ['END'],
    temperature: 0.5,
    parallel_tool_calls: false,
    reasoning_effort: 'low',
    response_format: { type: 'json_schema', json_schema: { name: 'x', schema: {} } },
  })
  expect(warnings).toEqual([])
})

test('what a model will ignore is said, and what a client would miss is refused', () => {
  expect(codes(decode({ stop: ['\n', 'x'] }))).toEqual(['stop_dropped'])
  expect(decode({ stop: ['\n'] }).options['stop']).toBeUndefined()
  expect(codes(decode({ seed: 1 }))).toEqual(['setting_ignored'])
  expect(codes(decode({ seed: 1, model: 'gpt-5' }))).toEqual([])
  expect(codes(decode({ prediction: {}, model: 'gpt-5' }))).toEqual(['setting_ignored'])
  expect(codes(decode({ temperature: 1.5 }))).toEqual(['temperature_clamped'])
  expect(codes(decode({ temperature: 1, top_p: 0.5 }))).toEqual(['setting_ignored'])
  expect(refusal({ n: 2 })).toMatch(/^n: /)
  expect(refusal({ logprobs: true })).toMatch(/^logprobs: /)
  expect(refusal({ modalities: ['audio'] })).toMatch(/^modalities\.0: /)
  expect(refusal({ tools: [tool('f')], tool_choice: 'required', reasoning_effort: 'high' })).toMatch(
    /^tool_choice: .*reasoning_effort/,
  )
  expect(() =>
    decode({ model: 'gpt-5', tools: [tool('f')], tool_choice: 'required', reasoning_effort: 'high' }),
  ).not.toThrow()
})

test('JSON without a schema is asked for in words where no setting exists', () => {
  const asked = decode({ response_format: { type: 'json_object' } })
  expect(asked.history[0]).toMatchObject({ role: 'system' })
  expect(codes(asked)).toEqual(['json_in_words'])
  expect(decode({ model: 'gpt-5', response_format: { type: 'json_object' } }).history).toEqual([])
})

test('reasoning that comes back is thinking again', () => {
  const { history } = decode({
    messages: [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b', reasoning_content: 'hm' },
      { role: 'user', content: 'c' },
    ],
  })
  expect(history[1]).toMatchObject({
    content: [
      { type: 'thinking', thinking: 'hm' },
      { type: 'text', text: 'b' },
    ],
  })
})

test('the same conversation looks the same, however it is spelled', () => {
  const seen = (messages: object[]) =>
    decode({ messages: [...messages, { role: 'user', content: 'z' }] }).visible.map(toText => toText())
  expect(
    seen([
      { role: 'system', content: 's' },
      { role: 'user', content: 'a' },
      { role: 'assistant', content: null, tool_calls: [call('x', 'f')], refusal: null, annotations: [] },
      { role: 'tool', tool_call_id: 'x', content: 'X' },
    ]),
  ).toEqual(
    seen([
      { role: 'developer', content: [{ type: 'text', text: 's' }] },
      { role: 'user', content: [{ type: 'text', text: 'a' }] },
      { role: 'assistant', content: '', tool_calls: [call('x', 'f')] },
      { role: 'tool', tool_call_id: 'x', content: [{ type: 'text', text: 'X' }] },
    ]),
  )
  expect(seen([{ role: 'user', content: 'a' }])).not.toEqual(seen([{ role: 'system', content: 'a' }]))
})

test('the session, its user and its server tools are read from the body', () => {
  expect(
    decode({
      user: 'u',
      metadata: { session_id: 's1', server_tools: 'a, b' },
      stream_options: { include_usage: true },
    }),
  ).toMatchObject({ user: 'u', session_id: 's1', server_tools: ['a', 'b'], include_usage: true })
})

test('unread fields are reported; those that ask for nothing are not', () => {
  const messages = [{ role: 'user', content: 'a', name: 'Ann' }]
  const request = decode({
    messages,
    store: true,
    web_search_options: {},
    top_logprobs: null,
    safety_identifier: 'x',
  })
  expect(request.warnings.map(warning => warning.message.split(':')[0]).sort()).toEqual([
    'messages.0.name',
    'safety_identifier',
    'store',
    'web_search_options',
  ])
  expect(refusal({ store: true }, { strict: true })).toMatch(/^store: /)
  expect(codes(decode({ messages: [{ role: 'user', content: 'a' }], store: false, tools: [] }))).toEqual([])
})

describe('a result without tool_call_id', () => {
  const tool_result = (tool_call_id?: string | null) => ({ role: 'tool', tool_call_id, content: 'X' })
  const asked = (...ids: string[]) => ({ role: 'assistant', tool_calls: ids.map(id => call(id, 'f')) })
  const user = { role: 'user', content: 'a' }

  test.each([
    ['one call', [asked('x'), tool_result()], ['x']],
    ['one call, and null as its id', [asked('x'), tool_result(null)], ['x']],
    ['one call that is left', [asked('x', 'y'), tool_result(), tool_result('x')], ['x', 'y']],
    ['one call of each message', [asked('x'), tool_result(), asked('y'), tool_result()], ['y']],
  ])('belongs to %s', (_, messages, ids) => {
    const { tail, warnings } = decode({ messages: [user, ...messages] })
    expect(tail).toMatchObject({ type: 'results', results: ids.map(call_id => ({ call_id })), missing: [] })
    expect(warnings).toEqual([])
  })

  test.each([
    ['two calls', [asked('x', 'y'), tool_result()], 2],
    ['no call', [tool_result()], 0],
    ['a call that is answered', [asked('x'), tool_result('x'), tool_result()], 0],
    ['a call of an earlier message', [asked('x'), { role: 'assistant', content: 'b' }, tool_result()], 0],
    ['the only call, twice', [asked('x'), tool_result(), tool_result()], 1],
  ])('is rejected for %s', (_, messages, waiting) => {
    const text = refusal({ messages: [user, ...messages] })
    expect(text).toMatch(/^messages\.\d\.tool_call_id: required/)
    expect(text).toContain(`${waiting} wait`)
  })
})

/** Messages requests in canonical words, and what is refused. */
import { AppError } from '@toolwire/core'
import { expect, test } from 'vitest'
import {
  decodeMessagesRequest,
  estimateTokens,
  readMessageId,
  toMessageId,
  toMessagesError,
} from '../../src/index.ts'

const decode = (body: object, options = {}) =>
  decodeMessagesRequest(
    { model: 'claude-x', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }], ...body },
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
const text = (value: string) => [{ type: 'text', text: value }]

test('system blocks stay apart, and the billing line goes to Anthropic alone', () => {
  const system = [
    { type: 'text', text: 'x-anthropic-billing-header: a' },
    { type: 'text', text: 'be brief', cache_control: { type: 'ephemeral' } },
  ]
  expect(decode({ system }).history).toHaveLength(2)
  expect(decode({ system, model: 'gpt-5' }).history).toEqual([{ role: 'system', content: text('be brief') }])
})

test('results come before the text beside them', () => {
  const { history, tail } = decode({
    messages: [
      { role: 'user', content: 'a' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 'sig' },
          { type: 'redacted_thinking', data: 'xx' },
          { type: 'tool_use', id: 't1', name: 'f', input: { b: 1, a: 2 } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'R' }], is_error: true },
          { type: 'text', text: 'and now?' },
        ],
      },
    ],
  })
  expect(history.slice(1)).toEqual([
    {
      role: 'assistant',
      provider: 'anthropic',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'sig' },
        { type: 'redacted_thinking', data: { type: 'redacted_thinking', data: 'xx' } },
        { type: 'tool_use', call_id: 't1', name: 'f', input_text: '{"b":1,"a":2}' },
      ],
    },
  ])
  expect(tail).toEqual({
    type: 'results',
    results: [
      { type: 'tool_result', call_id: 't1', name: 'f', output_text: 'R', content: [], is_error: true },
    ],
    missing: [],
    joined: [{ role: 'user', content: text('and now?') }],
  })
})

test('settings and choices have the names that models know', () => {
  const tools = [{ name: 'f', input_schema: { type: 'object' }, cache_control: { type: 'ephemeral' } }]
  expect(
    decode({
      tools,
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      thinking: { type: 'enabled', budget_tokens: 2000 },
      stop_sequences: ['END'],
      top_k: 3,
    }),
  ).toMatchObject({
    client_tools: [{ name: 'f', input_schema: { type: 'object' } }],
    options: {
      max_tokens: 10,
      tool_choice: { type: 'auto' },
      parallel_tool_calls: false,
      thinking: { type: 'enabled', budget_tokens: 2000 },
      stop_sequences: ['END'],
      top_k: 3,
    },
  })
  expect(refusal({ tools, tool_choice: { type: 'any' }, thinking: { type: 'enabled' } })).toMatch(
    /^tool_choice: /,
  )
  expect(refusal({ tools, tool_choice: { type: 'tool', name: 'g' } })).toMatch(/^tool_choice: .*"g"/)
  expect(refusal({ messages: [] })).toMatch(/^messages: /)
  expect(refusal({ messages: [{ role: 'user', content: ' ' }] })).toMatch(/^messages: .*empty/)
  expect(refusal({ messages: [{ role: 'user', content: [{ type: 'hologram' }] }] })).toMatch(
    /^messages\.0\.content/,
  )
})

test('a continued thread brings only what is new', () => {
  const thread = { type: 'continue', previous_message_id: 'msg_s_3' }
  const result = { type: 'tool_result', tool_use_id: 't1', content: 'R' }
  expect(decode({ thread, messages: [{ role: 'user', content: [result] }] })).toMatchObject({
    continues: 'msg_s_3',
    history: [],
    tail: { type: 'results', results: [{ call_id: 't1', output_text: 'R' }] },
    warnings: [],
  })
  expect(
    decode({ thread, messages: [{ role: 'user', content: [result, { type: 'text', text: 'so?' }] }] }),
  ).toMatchObject({
    history: [],
    tail: {
      type: 'results',
      results: [{ call_id: 't1' }],
      joined: [{ role: 'user', content: text('so?') }],
    },
  })
})

test('moved cache marks and dropped thinking change nothing in how a conversation looks', () => {
  const seen = (mark: object, thinking: object[]) =>
    decode({
      system: [{ type: 'text', text: 's', ...mark }],
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'a', ...mark }] },
        { role: 'assistant', content: [...thinking, { type: 'text', text: 'b' }] },
        { role: 'user', content: 'c' },
      ],
    }).visible.map(toText => toText())
  expect(seen({ cache_control: { type: 'ephemeral' } }, [])).toEqual(
    seen({}, [{ type: 'thinking', thinking: 'hm', signature: 's' }]),
  )
})

test('ids of answers name their session and run', () => {
  expect(readMessageId(toMessageId('a_b-c', 17))).toEqual({ session_id: 'a_b-c', seq: 17 })
  expect(readMessageId('msg_01ABC')).toBeUndefined()
})

test('tokens are estimated from characters, images apart', () => {
  const ask = (content: unknown) => estimateTokens({ model: 'm', messages: [{ role: 'user', content }] })
  const few = ask('hello')
  expect(ask('hello'.repeat(400))).toBeGreaterThan(few + 400)
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(1e5) } }
  expect(ask([image])).toBeLessThan(5000)
})

test.each([
  [{ code: 'bad_request', message: 'x' }, 400, 'invalid_request_error'],
  [{ code: 'unauthorized', message: 'x' }, 401, 'authentication_error'],
  [{ code: 'unknown_model', message: 'x' }, 404, 'not_found_error'],
  [{ code: 'payload_too_large', message: 'x' }, 413, 'request_too_large'],
  [{ code: 'model_rate_limited', message: 'x' }, 429, 'rate_limit_error'],
  [{ code: 'model_overloaded', message: 'x' }, 529, 'overloaded_error'],
  [{ code: 'internal', message: 'x' }, 500, 'api_error'],
])('%j has status %d', (problem, status, type) => {
  expect(toMessagesError(problem, 'req')).toEqual({
    status,
    body: { type: 'error', error: { type, message: 'x' }, request_id: 'req' },
  })
})

test('tools that Anthropic runs pass to its models, and are refused for others', () => {
  const search = { type: 'web_search_20250305', name: 'web_search', max_uses: 3 }
  const tools = [
    { ...search, cache_control: { type: 'ephemeral' } },
    { name: 'f', input_schema: {} },
  ]
  const request = decode({ tools, tool_choice: { type: 'tool', name: 'web_search' } })
  expect(request.client_tools.map(tool => tool.name)).toEqual(['f'])
  expect(request.options['provider_tools']).toEqual([search])
  const other = [{ type: 'code_execution_20250825', name: 'code_execution' }]
  expect(refusal({ model: 'gpt-x', tools: other })).toMatch(/^tools: "code_execution_20250825"/)
  expect(refusal({ mcp_servers: [{ type: 'url' }] })).toMatch(/^mcp_servers: /)
})

test('a search that the server runs is forced by the name of its tool', () => {
  const body = {
    model: 'gpt-x',
    max_tokens: 9,
    messages: [{ role: 'user', content: 'a' }],
    tools: [{ type: 'web_search_20250305', name: 'web_search' }],
    tool_choice: { type: 'tool', name: 'web_search' },
  }
  const search = () => ({ by: 'server', tool: 'WebSearch' }) as const
  const { options } = decodeMessagesRequest(body, { search })
  expect(options).toMatchObject({ tool_choice: { name: 'WebSearch' }, hosted_search: { tool: 'WebSearch' } })
  expect(() => decodeMessagesRequest(body)).toThrow(/^tool_choice: no tool has the name "web_search"/)
})

test('what the provider ran itself stays whole in the history', () => {
  const use = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'q' } }
  const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }
  const said = { type: 'text', text: 'so', citations: [{ type: 'web_search_result_location' }] }
  const { history } = decode({
    messages: [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: [use, found, said] },
      { role: 'user', content: 'b' },
    ],
  })
  expect(history[1]).toMatchObject({
    content: [
      { type: 'provider', kind: 'provider_tool_use', data: use },
      { type: 'provider', kind: 'provider_tool_result', data: found },
      { type: 'text', text: 'so', citations: said.citations },
    ],
  })
})

test('cache marks are reported as moved, never rejected, and an hour stays an hour', () => {
  const mark = (ttl?: string) => ({ cache_control: { type: 'ephemeral', ...(ttl ? { ttl } : {}) } })
  const messages = (ttl?: string) => [{ role: 'user', content: [{ type: 'text', text: 'a', ...mark(ttl) }] }]
  const five = decode({ messages: messages() }, { strict: true })
  expect(five.warnings.map(warning => warning.code)).toEqual(['cache_marks_moved'])
  expect(five.options['cache_ttl']).toBeUndefined()
  expect(decode({ messages: messages('1h') }).options['cache_ttl']).toBe('1h')
  const result = { type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'R', ...mark() }] }
  const call = { type: 'tool_use', id: 't', name: 'f', input: { cache_control: { ttl: '1h' } } }
  const inside = decode({
    messages: [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: [call] },
      { role: 'user', content: [result] },
    ],
  })
  expect(inside.warnings.map(warning => warning.code)).toEqual(['cache_marks_moved'])
  expect(inside.options['cache_ttl']).toBeUndefined()
})

test('what is ignored or changed is said, and refused of a strict request', () => {
  const odd = {
    context_management: { edits: [] },
    stop_sequences: ['END', ' '],
    tools: [{ name: 'f', input_schema: {}, defer_loading: true, eager_input_streaming: true }],
    messages: [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: ['x'] }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'R' }] },
    ],
  }
  const request = decode(odd)
  expect(request.warnings.map(warning => warning.code).sort()).toEqual([
    'arguments_wrapped',
    'field_ignored',
    'field_ignored',
    'stop_dropped',
  ])
  expect(request.options).toMatchObject({ stop_sequences: ['END'], eager_input_streaming: ['f'] })
  expect(request.history.at(-1)).toMatchObject({ content: [{ input_text: '{"_raw":"[\\"x\\"]"}' }] })
  for (const field of ['context_management', 'stop_sequences', 'tools', 'messages'] as const)
    expect(refusal({ [field]: odd[field] }, { strict: true })).not.toBe('')
  expect(decode({ context_management: null, betas: [], stream: false }).warnings).toEqual([])
})

test('search results inside a result travel as their words', () => {
  const found = {
    type: 'search_result',
    title: 'T',
    source: 'http://s',
    content: [{ type: 'text', text: 'W' }],
  }
  const { tail, warnings } = decode({
    messages: [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: [found] }] },
    ],
  })
  expect(warnings.map(warning => warning.code)).toEqual(['search_result_in_words'])
  expect(tail).toMatchObject({ type: 'results', results: [{ output_text: 'T – http://s\nW' }] })
})

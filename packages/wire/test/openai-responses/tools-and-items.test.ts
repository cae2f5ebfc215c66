/** Tools and items of a Responses request, type by type: those that are served, and those that are left out or kept. */
import type { Rec } from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import { decodeResponsesRequest, foldResponse, responsesWire } from '../../src/index.ts'
import type { CallType } from '../../src/openai-responses/tools.ts'

const decode = (body: object, strict = false) =>
  decodeResponsesRequest({ model: 'm', input: 'x', ...body }, { strict })
const parameters = { type: 'object', properties: { a: { type: 'string' } } }
const fn = (more: object = {}) => ({ type: 'function', name: 'read', parameters, ...more })

describe('a tool that only its vendor runs', () => {
  const types = [
    'file_search',
    'code_interpreter',
    'image_generation',
    'computer_use_preview',
    'computer',
    'programmatic_tool_calling',
    'a_type_of_the_future',
  ]

  test.each(types)('%s is left out with a warning, and rejected in a strict request', type => {
    const { client_tools, warnings } = decode({ tools: [fn(), { type, any: [1] }] })
    expect(client_tools.map(tool => tool.name)).toEqual(['read'])
    expect(warnings).toMatchObject([{ code: 'tool_ignored', message: expect.stringContaining('tools.1') }])
    expect(() => decode({ tools: [{ type }] }, true)).toThrow(/tools\.0/)
  })

  test.each(types)('%s is rejected when the request forces it', type => {
    expect(() => decode({ tools: [{ type }], tool_choice: { type } })).toThrow(/^tool_choice/)
  })

  test('an MCP server of the request is rejected with its position', () => {
    const mcp = { type: 'mcp', server_label: 's', server_url: 'https://example.com/mcp' }
    expect(() => decode({ tools: [fn(), mcp] })).toThrow(/^tools\.1: /)
  })
})

test.each([
  [{}, undefined],
  [{ strict: null }, undefined],
  [{ strict: false }, undefined],
  [{ strict: true }, true],
])('a function with %j has the strictness %j', (more, strict) => {
  expect(decode({ tools: [fn(more)] }).client_tools[0]?.strict).toBe(strict)
})

test('fields of functions that other models know are accepted without a word, also in a strict request', () => {
  const more = {
    defer_loading: true,
    allowed_callers: ['direct'],
    async: true,
    output_schema: { type: 'object' },
  }
  expect(decode({ tools: [fn(more)] }, true)).toMatchObject({
    warnings: [],
    client_tools: [{ name: 'read' }],
  })
})

describe('an item of a type that only its vendor knows', () => {
  const user = { role: 'user', content: 'x' }

  test.each([
    'image_generation_call',
    'code_interpreter_call',
    'file_search_call',
    'mcp_call',
    'mcp_list_tools',
    'a_type_of_the_future',
  ])('%s is kept whole for a provider of this API and reported, and rejected in a strict request', type => {
    const item = { type, id: 'x_1', status: 'completed', any: { value: [1] } }
    const input = [user, item, { role: 'assistant', content: 'y' }, user]
    const { history, warnings } = decode({ input })
    expect(history[1]).toMatchObject({
      role: 'assistant',
      content: [
        { type: 'provider', data: item },
        { type: 'text', text: 'y' },
      ],
    })
    expect(warnings).toMatchObject([{ code: 'item_ignored', message: expect.stringContaining('input.1') }])
    expect(() => decode({ input }, true)).toThrow(/input\.1/)
  })

  test('a search of this server is in its log, and says nothing new', () => {
    const item = { type: 'web_search_call', id: 'ws_session_4_1', status: 'completed' }
    const { warnings } = decode({ input: [user, item, { role: 'assistant', content: 'y' }, user] }, true)
    expect(warnings).toEqual([])
  })
})

test.each([
  [{ type: 'input_file' }, /^input\.0\.content\.0: /],
  [{ type: 'input_image' }, /^input\.0\.content\.0\.image_url: /],
  [{ type: 'input_image', image_url: 'file:///etc/passwd' }, /^input\.0\.content\.0\.image_url: /],
  [{ type: 'input_audio', input_audio: { data: 'no base64', format: 'wav' } }, /input_audio\.data/],
])('the content %j is rejected', (part, message) => {
  expect(() => decode({ input: [{ role: 'user', content: [part] }] })).toThrow(message)
})

/** The response of a log in which every form of call is called, and a message with text, refusal and thinking. */
function idsOf(): Readonly<Record<string, string>> {
  const forms: readonly CallType[] = ['custom', 'tool_search', 'local_shell', 'shell', 'apply_patch']
  const ts = '2026-01-01T00:00:00.000Z'
  const echo = { echo: {}, store: true, warnings: [] }
  const record = { ...echo, forms: Object.fromEntries(forms.map(type => [type, { type, name: type }])) }
  const blocks = ['text', 'refusal', 'thinking', 'redacted_thinking', 'function', ...forms]
  const started = {
    type: 'run.started',
    ts,
    run_id: 'r',
    conversation_id: 'r',
    trigger: 'message',
    client_tools: [],
  }
  const events: object[] = [
    { ...started, model: 'm', options: { responses: record } },
    { type: 'turn.started', ts, run_id: 'r', turn: 1, provider: 'p', model: 'm', attempt: 1 },
    {
      type: 'message.started',
      ts,
      run_id: 'r',
      message_id: 'm',
      provider_message_id: 'p',
      role: 'assistant',
    },
  ]
  for (const [index, kind] of blocks.entries()) {
    const isCall = index > 3
    const tool = { call_id: `c${index}`, name: kind, tool_type: 'function', executor: 'client' }
    const at = { ts, run_id: 'r', message_id: 'm', block_id: `b${index}` }
    events.push({
      type: 'block.started',
      ...at,
      index,
      run_index: index,
      ...(isCall ? { kind: 'tool_use', tool } : { kind }),
    })
    const content = isCall ? { input_text: '{"input":"x"}' } : { text: 'x', thinking: 'x', data: {} }
    events.push({ type: 'block.completed', ts, run_id: 'r', block_id: `b${index}`, ...content })
  }
  const usage = { input: 1, output: 1, cache_read: 0, cache_write: 0, reasoning: 0 }
  const ended = { stop_reason: 'x', finish: 'stop', usage, has_next: false }
  const totals = { usage_by_model: [], duration_ms: 1, num_turns: 1 }
  events.push({ type: 'turn.completed', ts, run_id: 'r', message_id: 'm', ...ended })
  events.push({
    type: 'run.completed',
    ts,
    run_id: 'r',
    status: 'success',
    finish: 'stop',
    result_text: '',
    ...totals,
  })
  const step = responsesWire.open({ session_id: 'session', options: {} })
  const frames = events.flatMap((ev, n) => step({ seq: n + 1, epoch: 1, ev } as unknown as Rec))
  const { id, output } = foldResponse(frames)
  return Object.fromEntries([['response', id], ...output.map((item, n) => [blocks[n] ?? '', item.id])])
}

test('the prefix of an id says what it names, and an id holds its session and the position of its response', () => {
  expect(idsOf()).toEqual({
    response: 'resp_session_1',
    text: 'msg_session_1_0',
    refusal: 'msg_session_1_1',
    thinking: 'rs_session_1_2',
    redacted_thinking: 'rs_session_1_3',
    function: 'fc_session_1_4',
    custom: 'ctc_session_1_5',
    tool_search: 'ts_session_1_6',
    local_shell: 'lsh_session_1_7',
    shell: 'sh_session_1_8',
    apply_patch: 'apc_session_1_9',
  })
})

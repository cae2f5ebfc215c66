/** Request bodies of every wire with random wounds: decoded, or refused by name; never anything else. */
import { AppError, decodeCursor, ERRORS } from '@toolwire/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fuzzing, mutatedJson, mutatedText } from '../../core/test/mutate.ts'
import {
  decodeAgUiRequest,
  decodeAiSdkRequest,
  decodeApproval,
  decodeChatRequest,
  decodeCompletionRequest,
  decodeMessagesRequest,
  decodePrepareRequest,
  decodeResponsesRequest,
  decodeRunToken,
  decodeThreadQuery,
  decodeThreadRequest,
  decodeToolOutputs,
  encodeRunToken,
  readMessageId,
} from '../src/index.ts'

const SCHEMA = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const PICTURE = 'data:image/png;base64,iVBORw0KGgo='
const source = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' }
const tools = [
  { name: 'get_weather', description: 'Weather.', input_schema: SCHEMA, strict: true },
  { type: 'function', function: { name: 'get_time', parameters: SCHEMA } },
]

const RESPONSES = [
  {
    model: 'm',
    input: 'hello',
    instructions: 'x',
    tools: [{ type: 'function', name: 'f', parameters: SCHEMA }],
  },
  {
    model: 'm',
    input: [
      { role: 'developer', content: 'x' },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'look' },
          { type: 'input_image', image_url: PICTURE },
          { type: 'input_file', filename: 'a.txt', file_data: 'data:text/plain;base64,YQ==' },
          { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
        ],
      },
      { type: 'reasoning', id: 'rs', summary: [{ type: 'summary_text', text: 'hm' }], content: null },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'a', annotations: [] }] },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{"city":"x"}' },
      { type: 'function_call', call_id: 'n', namespace: 'ns', name: 'g', arguments: '' },
      { type: 'custom_tool_call', call_id: 'd', name: 'patch', input: 'x' },
      { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: 'ok' }] },
      { type: 'custom_tool_call_output', call_id: 'd', output: 'ok' },
      { type: 'tool_search_call', call_id: 't', execution: 'client', arguments: { query: 'x' } },
      { type: 'tool_search_output', call_id: 't', tools: [{ type: 'function', name: 'h' }] },
      { type: 'additional_tools', role: 'developer', tools: [{ type: 'custom', name: 'exec' }] },
      { type: 'item_reference', id: 'msg_s_1_0' },
      { type: 'web_search_call', id: 'ws' },
    ],
    tools: [
      { type: 'custom', name: 'patch', format: { type: 'grammar', syntax: 'lark', definition: 'x' } },
      { type: 'namespace', name: 'ns', tools: [{ type: 'function', name: 'g', parameters: SCHEMA }] },
      { type: 'tool_search', execution: 'client', parameters: SCHEMA },
      { type: 'web_search' },
    ],
    tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'f' }] },
    text: { format: { type: 'json_schema', name: 'a', schema: SCHEMA }, verbosity: 'low' },
    reasoning: { effort: 'high', summary: 'auto' },
    metadata: { a: 'b' },
  },
]

const CHAT = [
  { session_id: 's1', message: 'hello', model: 'm', tools, max_turns: 3, options: { temperature: 1 } },
  {
    session_id: 's1',
    message: [
      { type: 'text', text: 'look' },
      { type: 'image', source },
      { type: 'image_url', image_url: { url: PICTURE } },
    ],
    if_paused: 'queue',
    fallback_models: ['n'],
  },
  {
    session_id: 's1',
    tool_outputs: [
      { tool_use_id: 'c1', output: [{ type: 'text', text: '12' }] },
      { call_id: 'c2', content: { a: 1 }, is_error: true },
    ],
    approvals: [{ approval_id: 'a1', decision: 'approve', rule: 'Bash(ls:*)', input: { command: 'ls' } }],
  },
]
const AG_UI = [
  {
    threadId: 't1',
    runId: 'r1',
    protocolVersion: '1.0',
    state: { count: 1 },
    messages: [
      { id: 'u1', role: 'user', content: 'hello' },
      { id: 'a1', role: 'assistant', content: 'hi', toolCalls: [] },
      { id: 'x', role: 'tool', toolCallId: 'c1', content: 'ok', error: 'no' },
      {
        id: 'u2',
        role: 'user',
        content: [
          { type: 'text', text: 'look' },
          { type: 'image', source: { type: 'data', value: 'AAAA', mimeType: 'image/png' } },
        ],
      },
    ],
    tools: [{ name: 'pick', description: 'picks', parameters: SCHEMA }],
    context: [{ description: 'Cart', value: '3 items' }],
    forwardedProps: {},
    resume: [{ interruptId: 'apr_1', status: 'resolved', payload: { approved: true } }],
  },
]
const AI_SDK = [
  {
    id: 'Wt4mKq',
    messages: [
      { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'hello' }] },
      {
        id: 'run_1',
        role: 'assistant',
        parts: [
          { type: 'step-start' },
          {
            type: 'dynamic-tool',
            toolCallId: 'c1',
            toolName: 'pick',
            state: 'output-available',
            output: [1],
          },
          {
            type: 'dynamic-tool',
            toolCallId: 'c2',
            toolName: 'Bash',
            state: 'approval-responded',
            providerExecuted: true,
            approval: { id: 'apr_1', approved: true, reason: 'ok' },
          },
        ],
      },
    ],
    trigger: 'submit-message',
    messageId: 'run_1',
    tools,
  },
  {
    id: 'Wt4mKq',
    message: {
      id: 'u2',
      role: 'user',
      parts: [
        { type: 'file', mediaType: 'text/plain', filename: 'a.txt', url: 'data:text/plain;base64,aGk=' },
        { type: 'text', text: 'look' },
      ],
    },
    trigger: 'regenerate-message',
    tools: { pick: { description: 'picks', parameters: SCHEMA } },
    model: 'demo',
  },
]
const THREAD = [
  { thread_id: 12, input: 'hello', instructions: 'Be brief.', tools, include: ['agents'], stream: true },
  {
    thread_id: '0190a-b',
    message: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'hello' }] },
    ],
    tool_choice: { type: 'auto' },
    max_tokens: 10,
  },
  {
    thread_id: 12,
    tool_outputs: [{ call_id: 'c1', output: '{"a":1}', is_error: false }],
    tool_approvals: [{ call_id: 'c2', approved: true, arguments: { a: 1 }, reason: 'ok' }],
  },
]
const MESSAGES = [
  {
    model: 'claude-sonnet-5',
    max_tokens: 100,
    stream: true,
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral', ttl: '1h' } }],
    tools: [
      { name: 'get_weather', input_schema: SCHEMA },
      { type: 'web_search_20250305', name: 'web_search' },
    ],
    tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    thinking: { type: 'enabled', budget_tokens: 1024 },
    metadata: { user_id: 'u' },
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'hello' },
          { type: 'image', source },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 's' },
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 't1', name: 'get_weather', input: { city: 'Oslo' } },
        ],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: '12' }] }],
      },
    ],
  },
  { messages: [{ role: 'user', content: 'hello' }], stop_sequences: ['x'], temperature: 0.5, top_k: 3 },
]
const COMPLETIONS = [
  {
    model: 'gpt-5',
    stream: true,
    stream_options: { include_usage: true },
    tools: [{ type: 'function', function: { name: 'get_weather', parameters: SCHEMA, strict: true } }],
    tool_choice: { type: 'function', function: { name: 'get_weather' } },
    response_format: { type: 'json_schema', json_schema: { name: 'x', schema: SCHEMA } },
    messages: [
      { role: 'developer', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'hello' },
          { type: 'image_url', image_url: { url: PICTURE, detail: 'low' } },
          { type: 'file', file: { filename: 'a.txt', file_data: 'data:text/plain;base64,aGVsbG8=' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: '12' },
    ],
  },
  {
    messages: [
      { role: 'assistant', function_call: { name: 'f', arguments: '{}' } },
      { role: 'function', name: 'f', content: 'x' },
      { role: 'user', content: 'hello' },
    ],
    functions: [{ name: 'f', parameters: SCHEMA }],
    reasoning_effort: 'low',
    stop: 'x',
    n: 1,
  },
]

/** What a request may fail with: a refusal that a client can act on, and that can be sent to it. */
function expectRefusal(error: unknown): void {
  if (!AppError.is(error)) throw error
  expect(ERRORS[error.code].status).toBeLessThan(500)
  expect(error.message).not.toBe('')
  JSON.stringify(error.details)
}

/** Decodes whatever comes. What is accepted must be storable: it is JSON. */
function decodes(decode: (body: unknown) => unknown, corpus: readonly unknown[], runs = 600): void {
  for (const sample of corpus) decode(sample)
  fc.assert(
    fc.property(mutatedJson(corpus), body => {
      try {
        const decoded = decode(body)
        JSON.stringify(decoded)
      } catch (error) {
        expectRefusal(error)
      }
    }),
    fuzzing(runs),
  )
}

describe('a wounded body is decoded or refused', () => {
  test('on the chat wire', () => decodes(decodeChatRequest, CHAT))
  test('as tool outputs', () => decodes(decodeToolOutputs, CHAT.slice(2)))
  test('as an approval', () =>
    decodes(decodeApproval, [{ decision: 'deny', reason: 'no', answer: { a: 1 } }]))
  test('on the thread wire', () => decodes(decodeThreadRequest, THREAD))
  test('as a prepared message', () => decodes(decodePrepareRequest, THREAD.slice(0, 2)))
  test('as a query', () => decodes(decodeThreadQuery, [{ input: 'hello', stream: '1', include: 'agents,x' }]))
  test('on the Messages wire', () => decodes(body => decodeMessagesRequest(body), MESSAGES))
  test('on the strict Messages wire', () =>
    decodes(body => decodeMessagesRequest(body, { strict: true }), MESSAGES.slice(1)))
  test('on the AG-UI wire', () => decodes(decodeAgUiRequest, AG_UI))
  test('on the AI SDK wire', () => decodes(decodeAiSdkRequest, AI_SDK))
  test('on the Responses wire', () => {
    const item = { type: 'message', role: 'assistant', content: 'a' }
    const references = new Map([['msg_s_1_0', item]])
    decodes(body => decodeResponsesRequest(body, { references }), RESPONSES)
  })
  test('on the Chat Completions wire', () => decodes(body => decodeCompletionRequest(body), COMPLETIONS))
})

test('a token of a run is read, or rejected', () => {
  const token = encodeRunToken('0190a-b', 'x'.repeat(32))
  fc.assert(
    fc.property(mutatedText([token]), text => {
      const read = decodeRunToken(text)
      if (read) expect(encodeRunToken(read.session, read.secret)).toBe(text)
    }),
    fuzzing(1000),
  )
})

test('an id of a message is read, or rejected', () => {
  fc.assert(
    fc.property(mutatedText(['msg_0190a-b_12', 'msg_x_1']), text => {
      const read = readMessageId(text)
      if (read) expect(Number.isSafeInteger(read.seq)).toBe(true)
    }),
    fuzzing(1000),
  )
})

test('a cursor is a place, or is refused as a cursor', () => {
  fc.assert(
    fc.property(mutatedText(['s.12.3', 's.12', '12', 'other.1.1']), text => {
      try {
        const { seq, k } = decodeCursor(text, 's')
        expect([Number.isSafeInteger(seq), Number.isSafeInteger(k), seq >= 0]).toEqual([true, true, true])
      } catch (error) {
        if (!AppError.is(error)) throw error
        expect(error.code).toBe('invalid_cursor')
      }
    }),
    fuzzing(1000),
  )
})

describe('found by wounded bodies', () => {
  test('a list that is an object with a `length` field is rejected', () => {
    const messages = { length: { toString: 1, valueOf: 1 } }
    expect(() => decodeCompletionRequest({ messages })).toThrow(AppError)
  })
  test.for(['A', 'A=', '=', 'AAAAA'])('a text file whose base64 is %j is refused', data => {
    const file = { type: 'file', file: { file_data: `data:text/plain;base64,${data}` } }
    expect(() => decodeCompletionRequest({ messages: [{ role: 'user', content: [file] }] })).toThrow(AppError)
  })
})

/** Events of single cases: what is shown, how it ends, what it counts. */
import Anthropic from '@anthropic-ai/sdk'
import { writeJson } from '@toolwire/core'
import { expect, test } from 'vitest'
import { encodeSse, foldMessage, messagesWire } from '../../src/index.ts'
import { answering } from '../gateway/answers.ts'
import { asked, type Body, block, ended, records, START, totals } from '../gateway/log.ts'

function events(bodies: readonly Body[], options = {}) {
  const step = messagesWire.open({ session_id: 's', options: { model: 'alias', ...options } })
  return records(bodies)
    .flatMap(step)
    .map(({ data }) => JSON.parse(data))
}
const fold = (bodies: readonly Body[]) =>
  foldMessage(records(bodies).flatMap(messagesWire.open({ session_id: 's' })))

test('a message starts with usage and no content, and ends with a reason and all that was used', () => {
  const all = events([...START, ...block(0, 'text', { text: 'hi' }), ...ended('stop', 'end_turn')])
  expect(all).toEqual([
    {
      type: 'message_start',
      message: {
        id: 'msg_s_1',
        model: 'alias',
        type: 'message',
        role: 'assistant',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: {
          input_tokens: 0,
          output_tokens: 0,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 0,
        },
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hi' } },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: {
        input_tokens: 10,
        output_tokens: 5,
        cache_creation_input_tokens: 2,
        cache_read_input_tokens: 3,
      },
    },
    { type: 'message_stop' },
  ])
})

test.each([
  ['stop', 'end_turn', 'end_turn'],
  ['stop', 'stop_sequence', 'stop_sequence'],
  ['stop', 'stop', 'end_turn'],
  ['length', 'length', 'max_tokens'],
  ['length', 'model_context_window_exceeded', 'model_context_window_exceeded'],
  ['content_filter', 'content_filter', 'refusal'],
  ['pause', 'pause_turn', 'end_turn'],
] as const)('a run that ends with %s (%s) stops with %s', (finish, native, reason) => {
  expect(fold([...START, ...ended(finish, native)]).stop_reason).toBe(reason)
})

test('a refusal says why', () => {
  const message = fold([
    ...START,
    ...block(0, 'refusal', { text: 'no' }),
    ...ended('refusal', 'refusal', { category: 'cyber' }),
  ])
  expect(message).toMatchObject({
    content: [{ type: 'text', text: 'no' }],
    stop_reason: 'refusal',
    stop_details: { category: 'cyber' },
  })
})

test('thinking keeps its signature, redacted thinking its data, and empty texts are left out', () => {
  const { content } = fold([
    ...START,
    ...block(0, 'thinking', { thinking: 'hm', signature: 'sig' }),
    ...block(1, 'thinking', { thinking: '', signature: 'only' }),
    ...block(2, 'redacted_thinking', { data: { type: 'redacted_thinking', data: 'xx' } }),
    ...block(3, 'text', { text: '' }),
    ...block(4, 'tool_use', { input_text: '' }, { call_id: 't', name: 'f' }),
    ...asked({ kind: 'client_tool', id: 't', call_id: 't', name: 'f', input_text: '' }),
  ])
  expect(content).toEqual([
    { type: 'thinking', thinking: 'hm', signature: 'sig' },
    { type: 'thinking', thinking: '', signature: 'only' },
    { type: 'redacted_thinking', data: 'xx' },
    { type: 'tool_use', id: 't', name: 'f', input: {} },
  ])
})

test('rounds that the server ran are one message with dense indexes', () => {
  const second = block(7, 'text', { text: 'done' })
  const all = events([
    ...START,
    ...block(0, 'text', { text: 'wait' }),
    ...block(1, 'tool_use', { input_text: '{}' }, { call_id: 't', name: 'Read', executor: 'server' }),
    ...ended('tool_calls').slice(0, 1),
    ...START.slice(1),
    ...second,
    ...ended('stop'),
  ])
  expect(all.filter(event => event.type === 'message_start')).toHaveLength(1)
  expect(all.flatMap(event => (event.type === 'content_block_start' ? [event.index] : []))).toEqual([0, 1])
  expect(all.at(-2).usage.output_tokens).toBe(10)
})

test('a pending approval is reported, and the response ends', () => {
  const item = { kind: 'approval', id: 'apr', call_id: 't', name: 'Bash', input_text: '{}' }
  const all = events([...START, ...block(0, 'text', { text: 'may I?' }), ...asked(item)])
  expect(all.at(-2)).toMatchObject({ delta: { stop_reason: 'end_turn' }, pending: [item] })
})

test('a run that ends at calls of which none is the client’s ends its turn: there is nothing to run', () => {
  const server = { call_id: 'x', name: 'f', executor: 'server' }
  const use = block(0, 'tool_use', { input_text: '{}' }, server)
  expect(fold([...START, ...use, ...ended('tool_calls', 'tool_use')])).toMatchObject({
    content: [],
    stop_reason: 'end_turn',
  })
})

test('a failure is an error event, and nothing after it', () => {
  const error = { code: 'model_overloaded', message: 'Overloaded', retryable: true }
  const all = events([
    ...START,
    ...block(0, 'text', { text: 'half' }),
    { type: 'run.failed', error, ...totals },
  ])
  expect(all.at(-1)).toEqual({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } })
  expect(all.some(event => event.type === 'message_stop')).toBe(false)
})

test('citations come behind the text that they are for, and kinds that clients do not know stay out', async () => {
  const citation = {
    type: 'web_search_result_location',
    url: 'https://example.com/',
    title: 'Example',
    cited_text: 'rain',
    encrypted_index: 'e',
  }
  const cited = { text: 'It rained.', citations: [citation, { type: 'hologram' }, 'junk'] }
  const bodies = [...START, ...block(0, 'text', cited), ...ended('stop', 'end_turn')]
  const frames = records(bodies).flatMap(messagesWire.open({ session_id: 's' }))
  const whole = foldMessage(frames)
  expect(whole.content).toEqual([{ type: 'text', text: 'It rained.', citations: [citation] }])
  const sse = frames.map((frame, k) => encodeSse({ ...frame, id: `s.1.${k}` })).join('')
  const client = new Anthropic({ apiKey: 'k', baseURL: 'http://none', fetch: answering(sse) })
  const message = await client.messages
    .stream({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'x' }] })
    .finalMessage()
  expect(message.content).toEqual(whole.content)
})

test('the arguments of what the provider ran itself are those that it wrote', () => {
  const use = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }
  const tool = { call_id: 's', name: 'web_search', executor: 'provider' }
  const written = '{"b":1.0,"2":1,"1":1}'
  const bodies = [
    ...START,
    ...block(0, 'provider_tool_use', { data: use, input_text: written }, tool),
    ...ended('stop', 'end_turn'),
  ]
  const frames = records(bodies).flatMap(messagesWire.open({ session_id: 's' }))
  expect(frames.map(frame => JSON.parse(frame.data).delta?.partial_json ?? '').join('')).toBe(written)
  expect(writeJson(foldMessage(frames))).toContain(`"input":${written}`)
})

test('what the provider ran itself is shown whole, and kinds that clients do not know stay out', async () => {
  const use = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }
  const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }
  const tool = { call_id: 'srvtoolu_1', name: 'web_search', executor: 'provider' }
  const bodies = [
    ...START,
    ...block(0, 'provider_tool_use', { data: use, input_text: '{"query":"q"}' }, tool),
    ...block(1, 'provider_tool_result', { data: found }),
    ...block(2, 'provider_tool_result', { data: { type: 'hologram' } }),
    ...block(3, 'text', { text: 'so' }),
    ...ended('stop', 'end_turn'),
  ]
  const frames = records(bodies).flatMap(messagesWire.open({ session_id: 's' }))
  const whole = foldMessage(frames)
  expect(whole.content).toEqual([{ ...use, input: { query: 'q' } }, found, { type: 'text', text: 'so' }])
  const sse = frames.map((frame, k) => encodeSse({ ...frame, id: `s.1.${k}` })).join('')
  const client = new Anthropic({ apiKey: 'k', baseURL: 'http://none', fetch: answering(sse) })
  const message = await client.messages
    .stream({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'x' }] })
    .finalMessage()
  expect(message.content).toEqual(whole.content)
})

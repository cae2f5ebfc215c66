/**
 * Streams of providers with random wounds, cut into random pieces: whatever comes, the answer is a well-formed
 * list of parts with exactly one end. Nothing is thrown, and nothing grows beyond what was sent.
 */
import type { Model, ModelPart } from '@toolwire/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fuzzing, inPieces, mutatedJson, mutatedText } from '../../core/test/mutate.ts'
import { anthropicStream } from '../src/anthropic/stream.ts'
import { createAnthropicModel, createOpenAiChatModel } from '../src/index.ts'
import { chatStream } from '../src/openai-chat/stream.ts'
import type { StreamProtocol } from '../src/shared/attempt.ts'
import { collect, streamOf } from './collect.ts'

const usage = { input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 4 }
const MESSAGES: readonly object[] = [
  { type: 'message_start', message: { id: 'msg_1', model: 'claude-x', usage } },
  { type: 'ping' },
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'abc' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Hello' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'citations_delta', citation: { url: 'x' } } },
  { type: 'content_block_stop', index: 1 },
  {
    type: 'content_block_start',
    index: 2,
    content_block: { type: 'tool_use', id: 't1', name: 'f', input: {} },
  },
  { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{"a":1}' } },
  { type: 'content_block_stop', index: 2 },
  {
    type: 'content_block_start',
    index: 3,
    content_block: { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} },
  },
  { type: 'content_block_stop', index: 3 },
  {
    type: 'content_block_start',
    index: 4,
    content_block: { type: 'web_search_tool_result', tool_use_id: 's1', content: [] },
  },
  { type: 'content_block_stop', index: 4 },
  {
    type: 'message_delta',
    delta: { stop_reason: 'tool_use', stop_details: null },
    usage: { output_tokens: 9 },
  },
  { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
  { type: 'message_stop' },
]
const chunk = (delta: object, more: object = {}): object => ({
  id: 'c',
  model: 'gpt-x',
  choices: [{ index: 0, delta, finish_reason: null, ...more }],
})
const CHUNKS: readonly object[] = [
  chunk({ role: 'assistant', content: '' }),
  chunk({ reasoning_content: 'hm' }),
  chunk({ content: 'Hello' }),
  chunk({ content: [{ type: 'text', text: 'there' }] }),
  chunk({ tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'f', arguments: '' } }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: '{"a":' } }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: '1}' } }] }),
  chunk({ tool_calls: [{ index: 1, id: 'c2', function: { name: 'g', arguments: {} } }] }),
  chunk({ refusal: 'no' }),
  chunk({}, { finish_reason: 'tool_calls' }),
  {
    id: 'c',
    choices: [],
    usage: { prompt_tokens: 9, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 3 } },
  },
  { error: { message: 'bad', type: 'server_error', code: 429 } },
]

/** What every reader of parts relies on. */
function expectWellFormed(parts: readonly ModelPart[]): void {
  const open = new Set<number>()
  const known = new Set<number>()
  parts.forEach((part, i) => {
    const isLast = i === parts.length - 1
    expect(part.type === 'end' || part.type === 'error').toBe(isLast)
    if (part.type === 'block-start') {
      expect(known.has(part.index)).toBe(false)
      known.add(part.index)
      open.add(part.index)
    }
    if (part.type === 'block-delta') expect(open.has(part.index)).toBe(true)
    if (part.type === 'block-end') expect(open.delete(part.index)).toBe(true)
    if (part.type === 'end') expect(open.size).toBe(0)
    if ('usage' in part && part.usage)
      for (const count of Object.values(part.usage))
        expect(typeof count === 'boolean' || (Number.isFinite(count) && count >= 0)).toBe(true)
  })
  expect(parts.length).toBeGreaterThan(0)
  expect(parts.filter(part => part.type === 'start').length).toBeLessThanOrEqual(1)
  JSON.stringify(parts)
}

function fold<S>(protocol: StreamProtocol<S>, events: readonly string[]): readonly ModelPart[] {
  let state = protocol.initial
  const all: ModelPart[] = []
  for (const data of events) {
    const [next, parts] = protocol.step(state, { data })
    state = next
    all.push(...parts)
    if (parts.some(part => part.type === 'end' || part.type === 'error')) return all
  }
  return [...all, ...protocol.end(state)]
}

/** Honest events in a row, some of them wounded, left out, repeated or out of order. */
function woundedEvents(corpus: readonly object[]): fc.Arbitrary<readonly string[]> {
  const place = fc.nat({ max: corpus.length - 1 })
  const one = fc.oneof(
    { weight: 5, arbitrary: place.map(at => JSON.stringify(corpus[at])) },
    { weight: 4, arbitrary: mutatedJson(corpus).map(value => JSON.stringify(value) ?? 'null') },
    { weight: 1, arbitrary: mutatedText(corpus.map(value => JSON.stringify(value))) },
  )
  const inOrder = fc
    .tuple(fc.array(fc.tuple(place, one), { maxLength: 4 }), fc.nat({ max: 3 }))
    .map(([changes, from]) => {
      const events = corpus.filter(event => !('error' in event)).map(event => JSON.stringify(event))
      for (const [at, event] of changes) events[at] = event
      return events.slice(from).filter(event => event !== undefined)
    })
  return fc.oneof(inOrder, fc.array(one, { maxLength: 30 }))
}

const PROTOCOLS = [
  ['Messages', anthropicStream, MESSAGES],
  ['Chat Completions', chatStream, CHUNKS],
] as const

describe.for(PROTOCOLS)('the %s stream', ([, protocol, corpus]) => {
  test('gives well-formed parts and one end, whatever its events hold', () => {
    fc.assert(
      fc.property(woundedEvents(corpus), events =>
        expectWellFormed(fold(protocol as StreamProtocol<unknown>, events)),
      ),
      fuzzing(600),
    )
  })

  test('gives no more parts than its events can stand for', () => {
    fc.assert(
      fc.property(woundedEvents(corpus), events => {
        const size = events.reduce((sum, event) => sum + event.length, 0)
        const parts = fold(protocol as StreamProtocol<unknown>, events)
        expect(parts.length).toBeLessThanOrEqual(8 + size)
        expect(JSON.stringify(parts).length).toBeLessThanOrEqual(4000 + 40 * size)
      }),
      fuzzing(300),
    )
  })
})

const respond = (pieces: readonly Uint8Array[], headers: Record<string, string>, status = 200): Response =>
  new Response(streamOf(pieces), { status, headers })

const toSse = (events: readonly object[]): string =>
  events.map(event => `event: x\ndata: ${JSON.stringify(event)}\n\n`).join('')

/** No attempt but the first, and no wait that a provider asks for. */
const PATIENCE = { retry: { maxRetries: 0 }, sleep: async () => undefined }

const MODELS = [
  [
    'Anthropic',
    (fetch: typeof globalThis.fetch): Model =>
      createAnthropicModel({ model: 'm', apiKey: 'k', fetch, ...PATIENCE }),
    MESSAGES,
  ],
  [
    'OpenAI',
    (fetch: typeof globalThis.fetch): Model =>
      createOpenAiChatModel({ model: 'm', apiKey: 'k', fetch, ...PATIENCE }),
    CHUNKS,
  ],
] as const

describe('found by wounded streams', () => {
  test.for(['constructor', '__proto__', { toString: 1 }])('a delta of the type %j says nothing', type => {
    const delta = {
      type: 'content_block_delta',
      index: 1,
      delta: JSON.parse(JSON.stringify({ type })) as object,
    }
    const events = MESSAGES.filter(event => !('error' in event)).toSpliced(8, 0, delta)
    const parts = fold(
      anthropicStream,
      events.map(event => JSON.stringify(event)),
    )
    expect(parts.at(-1)?.type).toBe('end')
  })
})

describe.for(MODELS)('the model port over %s', ([, create, corpus]) => {
  const honest = toSse(corpus)
  const bodies = mutatedText([honest, `${honest}data: [DONE]\n\n`, honest.replaceAll('\n', '\r\n')])

  test('takes any bytes in any pieces', async () => {
    await fc.assert(
      fc.asyncProperty(inPieces(bodies), async pieces => {
        const model = create(async () => respond(pieces, { 'content-type': 'text/event-stream' }))
        expectWellFormed(await collect(model))
      }),
      fuzzing(200),
    )
  })

  test('takes any refusal: status, type and body', async () => {
    const refusal = mutatedText([
      '{"error":{"type":"rate_limit_error","message":"x","code":"a"}}',
      '<html>',
      '',
    ])
    const status = fc.constantFrom(200, 400, 401, 404, 413, 429, 500, 529, 599)
    const type = fc.constantFrom('application/json', 'text/html', 'text/event-stream', '')
    const after = fc.constantFrom('', '1', '-1', 'soon', '1e9', 'Mon, 16 Nov 2026 00:00:00 GMT')
    await fc.assert(
      fc.asyncProperty(inPieces(refusal), status, type, after, async (pieces, code, kind, wait) => {
        const headers = { 'content-type': kind, 'retry-after': wait }
        expectWellFormed(await collect(create(async () => respond(pieces, headers, code))))
      }),
      fuzzing(200),
    )
  })
})

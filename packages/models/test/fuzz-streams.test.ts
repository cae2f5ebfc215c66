/**
 * Streams of providers with random wounds, cut into random pieces: whatever comes, the answer is a well-formed
 * list of parts with exactly one end. Nothing is thrown, and nothing grows beyond what was sent.
 */
import type { Model, ModelPart } from '@toolwire/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bombed } from '../../core/test/bombs.ts'
import { fuzzing, inPieces, mutatedJson, mutatedText } from '../../core/test/mutate.ts'
import { anthropicStream } from '../src/anthropic/stream.ts'
import { createAiSdkModel, createAnthropicModel, createOpenAiChatModel } from '../src/index.ts'
import { createChatOrigin } from '../src/openai-chat/origin.ts'
import { chatStream as createChatStream } from '../src/openai-chat/stream.ts'
import { createOpenAiResponsesModel } from '../src/openai-responses/model.ts'
import { responsesStream } from '../src/openai-responses/stream.ts'
import type { StreamProtocol } from '../src/shared/attempt.ts'
import { collect, streamOf } from './collect.ts'
import { expectWellFormed } from './well-formed-parts.ts'

const chatStream = createChatStream(createChatOrigin({ provider: 'openai', model: 'm' }))

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

const message = { type: 'message', id: 'msg_1', role: 'assistant', phase: 'commentary' }
const fn = { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'f', arguments: '' }
const patch = { type: 'custom_tool_call', id: 'ctc_1', call_id: 'c2', name: 'g', input: '' }
const EVENTS: readonly object[] = [
  { type: 'response.created', response: { id: 'resp_1', model: 'gpt-x', status: 'in_progress' } },
  { type: 'keepalive', sequence_number: 1 },
  {
    type: 'response.output_item.added',
    output_index: 0,
    item: { type: 'reasoning', id: 'rs_1', summary: [] },
  },
  { type: 'response.reasoning_summary_part.added', output_index: 0, summary_index: 0 },
  { type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 0, delta: 'hm' },
  {
    type: 'response.output_item.done',
    output_index: 0,
    item: { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' },
  },
  { type: 'response.output_item.added', output_index: 1, item: message },
  { type: 'response.output_text.delta', output_index: 1, content_index: 0, delta: 'Hello' },
  {
    type: 'response.output_text.annotation.added',
    output_index: 1,
    content_index: 0,
    annotation: { url: 'x' },
  },
  {
    type: 'response.output_item.done',
    output_index: 1,
    item: { ...message, content: [{ type: 'output_text', text: 'Hello!', annotations: [] }] },
  },
  { type: 'response.output_item.added', output_index: 2, item: fn },
  { type: 'response.function_call_arguments.delta', output_index: 2, delta: '{"a":1}' },
  { type: 'response.output_item.done', output_index: 2, item: { ...fn, arguments: '{"a":1}' } },
  { type: 'response.output_item.added', output_index: 3, item: patch },
  { type: 'response.custom_tool_call_input.delta', output_index: 3, delta: 'x"y' },
  { type: 'response.output_item.done', output_index: 3, item: { ...patch, input: 'x"y' } },
  {
    type: 'response.output_item.done',
    output_index: 4,
    item: { type: 'web_search_call', id: 'ws_1', status: 'completed' },
  },
  { type: 'error', error: { code: 'server_error', message: 'bad' } },
  { type: 'response.failed', response: { status: 'failed', error: { code: 'x', message: 'bad' } } },
  {
    type: 'response.completed',
    response: { status: 'completed', output: [], usage: { input_tokens: 9, output_tokens: 2 } },
  },
]

const SDK_PARTS: readonly object[] = [
  { type: 'stream-start', warnings: [{ type: 'unsupported', feature: 'seed', details: 'no' }] },
  { type: 'response-metadata', id: 'r1', modelId: 'm-x' },
  { type: 'reasoning-start', id: 'r' },
  { type: 'reasoning-delta', id: 'r', delta: 'hm' },
  { type: 'reasoning-end', id: 'r', providerMetadata: { anthropic: { signature: 's' } } },
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'Hello' },
  { type: 'text-end', id: 't' },
  { type: 'tool-input-start', id: 'c1', toolName: 'f' },
  { type: 'tool-input-delta', id: 'c1', delta: '{"a":1}' },
  { type: 'tool-input-end', id: 'c1' },
  { type: 'tool-call', toolCallId: 'c1', toolName: 'f', input: '{"a":1}' },
  { type: 'tool-call', toolCallId: 'c2', toolName: 'g', input: { b: 2 } },
  { type: 'error', error: { message: 'bad' } },
  {
    type: 'finish',
    finishReason: { unified: 'tool-calls', raw: 'tool_use' },
    usage: {
      inputTokens: { total: 9, noCache: 5, cacheRead: 3, cacheWrite: 1 },
      outputTokens: { total: 4, reasoning: 1 },
    },
  },
]

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
  ['Responses', responsesStream({ provider: 'p', model: 'm' }), EVENTS],
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

  test('gives no more parts than its events allow', () => {
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

  test('takes a bomb in any of its events, and gives no more than it was given', () => {
    const events = fc.tuple(bombed(corpus), fc.nat({ max: corpus.length }))
    fc.assert(
      fc.property(events, ([bomb, at]) => {
        const honest = corpus.filter(event => !('error' in event)).map(event => JSON.stringify(event))
        const parts = fold(protocol as StreamProtocol<unknown>, honest.toSpliced(at, 0, bomb))
        expectWellFormed(parts)
        expect(parts.length).toBeLessThanOrEqual(100 + bomb.length)
        expect(JSON.stringify(parts).length).toBeLessThanOrEqual(20_000 + 3 * bomb.length)
      }),
      fuzzing(60),
    )
  })
})

describe('the AI SDK stream', () => {
  /** Its parts come as values. What a value of JSON cannot say is tried as well. */
  const parsed = (data: string): unknown => {
    try {
      return JSON.parse(data)
    } catch {
      return data
    }
  }
  const play = (parts: readonly unknown[]): Promise<readonly ModelPart[]> =>
    collect(
      createAiSdkModel({
        provider: 'p',
        modelId: 'm',
        doStream: async () => ({ stream: streamOf([...parts]) }),
      }),
    )
  const isString = (value: unknown): value is string => typeof value === 'string'
  const idOf = (part: unknown): string => {
    const { id, toolCallId } = Object(part) as Record<string, unknown>
    return [id, toolCallId].find(isString) ?? ''
  }
  const isStart = (part: unknown): boolean => {
    const { type } = Object(part) as Record<string, unknown>
    return isString(type) && type.endsWith('-start')
  }
  const isWholeCall = (part: unknown): boolean => (Object(part) as { type?: unknown }).type === 'tool-call'
  /** One id for one block, and none that every object has; nor negative counts: so far a package is trusted. */
  const keepsIds = (parts: readonly unknown[]): boolean => {
    const ids = parts.filter(isStart).map(idOf)
    const calls = parts.filter(isWholeCall).map(idOf)
    return (
      new Set(ids).size === ids.length &&
      !calls.some(id => id !== 'c1' && ids.includes(id)) &&
      !parts.some(part => idOf(part) in Object.prototype)
    )
  }

  test('gives well-formed parts and one end, no more than its parts allow', async () => {
    const events = woundedEvents(SDK_PARTS)
      .map(texts => texts.map(parsed))
      .filter(given => keepsIds(given) && !/[:[]-/.test(JSON.stringify(given)))
    await fc.assert(
      fc.asyncProperty(events, async given => {
        const size = JSON.stringify(given).length
        const parts = await play(given)
        expectWellFormed(parts)
        expect(parts.length).toBeLessThanOrEqual(8 + size)
        expect(JSON.stringify(parts).length).toBeLessThanOrEqual(4000 + 40 * size)
      }),
      fuzzing(400),
    )
  })

  test('takes a bomb in any of its parts', async () => {
    await fc.assert(
      fc.asyncProperty(bombed(SDK_PARTS), async bomb => {
        const given = [parsed(bomb), { type: 'finish', finishReason: 'stop' }]
        const parts = await play(given)
        expectWellFormed(parts)
        expect(JSON.stringify(parts).length).toBeLessThanOrEqual(20_000 + 4 * bomb.length)
      }),
      fuzzing(60),
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
  [
    'OpenAI Responses',
    (fetch: typeof globalThis.fetch): Model =>
      createOpenAiResponsesModel({ model: 'm', apiKey: 'k', fetch, ...PATIENCE }),
    EVENTS,
  ],
] as const

describe('found by wounded streams', () => {
  test.for(['constructor', '__proto__', 'toString'])('an error of the type %s is unknown', type => {
    const error = { type: 'error', error: { type, message: 'x' } }
    const parts = fold(anthropicStream, [JSON.stringify(error)])
    expect(parts).toMatchObject([{ type: 'error', error: { code: 'model_error', message: 'x' } }])
  })

  test('a block that is nested too deeply to be written down is not taken', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000)
    const block = `{"type":"server_tool_use","id":"s2","name":"x","input":${deep}}`
    const said = `{"type":"content_block_start","index":9,"content_block":${block}}`
    const honest = MESSAGES.filter(event => !('error' in event)).map(event => JSON.stringify(event))
    expectWellFormed(fold(anthropicStream, honest.toSpliced(2, 0, said)))
    // Brackets in a text are no depth.
    const text = JSON.stringify({
      type: 'content_block_delta',
      index: 1,
      delta: { type: 'text_delta', text: `\\"${'['.repeat(9000)}` },
    })
    expect(JSON.stringify(fold(anthropicStream, honest.toSpliced(8, 0, text)))).toContain('[[[[')
  })

  test('negative counts are ignored: a run would get more than its limits', () => {
    const told = { input_tokens: -1e308, output_tokens: -1, cache_read_input_tokens: -2 }
    const messages = MESSAGES.filter(event => !('error' in event)).toSpliced(-1, 0, {
      type: 'message_delta',
      delta: {},
      usage: told,
    })
    const below = {
      prompt_tokens: -1e308,
      completion_tokens: -1,
      prompt_tokens_details: { cached_tokens: -1 },
    }
    const chunks = [chunk({}, { finish_reason: 'stop' }), { choices: [], usage: below }]
    const texts = (events: readonly object[]) => events.map(event => JSON.stringify(event))
    expectWellFormed(fold(anthropicStream, texts(messages)))
    expectWellFormed(fold(chatStream, texts(chunks)))
  })

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

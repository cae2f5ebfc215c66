/** Waiting and repeating: backoff, retry-after, watchdogs, frames that are too large. */
import { describe, expect, it, vi } from 'vitest'
import { createAnthropicModel } from '../../src/anthropic/model.ts'
import { createOpenAiChatModel } from '../../src/openai-chat/model.ts'
import { RETRY_RULES, readRetryAfter, retryDelay } from '../../src/shared/backoff.ts'
import { createEventParser, FrameTooLargeError } from '../../src/shared/event-parser.ts'
import { toFailure } from '../../src/shared/failure.ts'
import { createWatchdog } from '../../src/shared/watchdog.ts'
import { collect, streamOf } from '../collect.ts'

const failure = toFailure('model_overloaded', 'busy')

describe('backoff', () => {
  it('doubles, is capped, jitters downwards only, and ends', () => {
    const delays = [0, 1, 2, 3, 4, 5].map(attempt =>
      retryDelay(failure, attempt, { ...RETRY_RULES, maxRetries: 5 }, () => 1),
    )
    expect(delays).toEqual([500, 1000, 2000, 4000, 8000, undefined])
    expect(retryDelay(failure, 0, RETRY_RULES, () => 0)).toBe(375)
  })

  it('waits at least as long as the provider asks, and not at all for what will not pass', () => {
    const asked = { ...failure, details: { retry_after_ms: 20_000 } }
    expect(retryDelay(asked, 0, RETRY_RULES, () => 1)).toBe(20_000)
    expect(
      retryDelay({ ...failure, details: { retry_after_ms: 61_000 } }, 0, RETRY_RULES, () => 1),
    ).toBeUndefined()
    expect(retryDelay(toFailure('model_auth', 'no'), 0, RETRY_RULES, () => 1)).toBeUndefined()
  })

  it.for([
    [{ 'retry-after': '2' }, 2000],
    [{ 'retry-after-ms': '150', 'retry-after': '2' }, 150],
    [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:05 GMT' }, 4000],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ] as const)('reads %o as %s', ([headers, ms]) => {
    expect(readRetryAfter(new Headers(headers), 1000)).toBe(ms)
  })

  it('obeys x-should-retry', async () => {
    let sent = 0
    const model = createAnthropicModel({
      model: 'm',
      apiKey: 'k',
      sleep: async () => undefined,
      fetch: async () => {
        sent++
        return new Response('{}', { status: 529, headers: { 'x-should-retry': 'false' } })
      },
    })
    await collect(model)
    expect(sent).toBe(1)
  })
})

describe('an attempt that is repeated', () => {
  const of = (...events: readonly unknown[]): readonly string[] =>
    events.map(event => `data: ${JSON.stringify(event)}\n\n`)
  const usage = { input_tokens: 1000, output_tokens: 1 }
  const start = { type: 'message_start', message: { id: 'm', model: 'm', usage } }
  const chunk = (more: object) => ({ id: 'c', model: 'm', choices: [], ...more })
  const told = chunk({ usage: { prompt_tokens: 1000, completion_tokens: 1 } })
  const done = chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
  const apis = {
    'the Messages API': {
      create: createAnthropicModel,
      failed: of(start, { type: 'error', error: { type: 'overloaded_error', message: 'busy' } }),
      silent: of({ type: 'error', error: { type: 'overloaded_error', message: 'busy' } }),
      whole: of(
        start,
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
        { type: 'message_stop' },
      ),
    },
    'Chat Completions': {
      create: createOpenAiChatModel,
      // Some servers report their usage with every chunk.
      failed: of(told, { error: { code: 'overloaded', type: 'server_error', message: 'busy' } }),
      silent: of({ error: { code: 'overloaded', type: 'server_error', message: 'busy' } }),
      whole: of(told, done),
    },
  }
  type Api = (typeof apis)[keyof typeof apis]

  async function ask({ create }: Api, answers: readonly (readonly string[])[], model: string) {
    const left = [...answers]
    const made = create({
      model,
      apiKey: 'k',
      sleep: async () => undefined,
      // The beginning comes by itself, so that it could have been passed on.
      fetch: async () => {
        const pieces = (left.shift() ?? []).map(text => new TextEncoder().encode(text))
        const headers = { 'content-type': 'text/event-stream', 'request-id': `req_${left.length}` }
        return new Response(streamOf(pieces), { headers })
      },
    })
    return await collect(made)
  }

  it.for(Object.entries(apis))('leaves its usage behind and nothing else, at %s', async ([, api]) => {
    const parts = await ask(api, [api.failed, api.failed, api.whole], 'm')
    expect(parts.map(part => part.type)).toEqual(['retry', 'retry', 'start', 'end'])
    expect(parts.slice(0, 2)).toMatchObject(
      ['req_2', 'req_1'].map(request_id => ({
        usage: { input: 1000, output: 1 },
        error: { retryable: true, request_id },
      })),
    )
    expect(parts[0]).not.toHaveProperty('cost_usd')
  })

  it('reports its cost where the price is known', async () => {
    const { 'the Messages API': messages, 'Chat Completions': completions } = apis
    const [claude] = await ask(messages, [messages.failed, messages.whole], 'claude-sonnet-4-5')
    const [gpt] = await ask(completions, [completions.failed, completions.whole], 'gpt-4o')
    expect(claude).toMatchObject({ type: 'retry', cost_usd: expect.closeTo((1000 * 3 + 15) / 1e6) })
    expect(gpt).toMatchObject({ type: 'retry', cost_usd: expect.closeTo((1000 * 2.5 + 10) / 1e6) })
  })

  it.for(Object.entries(apis))('is omitted when it reported no usage, at %s', async ([, api]) => {
    const parts = await ask(api, [api.silent, api.whole], 'm')
    expect(parts.map(part => part.type)).toEqual(['start', 'end'])
  })

  it.for(Object.entries(apis))(
    'that is the last one is an error with its own usage, at %s',
    async ([, api]) => {
      const parts = await ask(api, [api.failed, api.failed, api.failed], 'm')
      expect(parts.map(part => part.type)).toEqual(['retry', 'retry', 'error'])
      expect(parts.at(-1)).toMatchObject({ usage: { input: 1000 } })
    },
  )
})

describe('the watchdog', () => {
  it('lets an answer take as long as it likes while something comes, and bites when nothing does', () => {
    vi.useFakeTimers()
    try {
      const bites: string[] = []
      const dog = createWatchdog({ bytesMs: 100, contentMs: 250 }, () =>
        bites.push(dog.exceededLimit() ?? ''),
      )
      const hear = (isContent: boolean): void => {
        dog.waiting()
        vi.advanceTimersByTime(90)
        dog.received()
        if (isContent) dog.content()
      }
      for (let n = 0; n < 10; n++) hear(true)
      expect(bites).toEqual([])
      // Pings keep the connection, not the answer.
      for (let n = 0; n < 3; n++) hear(false)
      expect(bites).toEqual(['contentMs'])
      dog.stop()
      const silent = createWatchdog({ bytesMs: 100, contentMs: 250 }, () =>
        bites.push(silent.exceededLimit() ?? ''),
      )
      silent.waiting()
      vi.advanceTimersByTime(210)
      expect(bites).toEqual(['contentMs', 'bytesMs'])
      silent.stop()
    } finally {
      vi.useRealTimers()
    }
  })

  it('waits longer for the beginning of an answer than for the rest of it, pings or none', () => {
    vi.useFakeTimers()
    try {
      const bites: string[] = []
      const open = (name: string) => {
        const dog = createWatchdog({ bytesMs: 100, contentMs: 250 }, () =>
          bites.push(`${name} ${dog.exceededLimit()}`),
        )
        return dog
      }
      const silent = open('silent')
      const pinged = open('pinged')
      const begun = open('begun')
      begun.content()
      for (const dog of [silent, pinged, begun]) dog.waiting()
      vi.advanceTimersByTime(110)
      expect(bites).toEqual(['begun bytesMs'])
      for (let n = 0; n < 9; n++) {
        pinged.received()
        pinged.waiting()
        vi.advanceTimersByTime(50)
      }
      expect(bites).toEqual(['begun bytesMs', 'silent bytesMs', 'pinged contentMs'])
      for (const dog of [silent, pinged, begun]) dog.stop()
    } finally {
      vi.useRealTimers()
    }
  })

  it('does not take a slow consumer for a silent provider', async () => {
    let bites = 0
    const dog = createWatchdog({ bytesMs: 5, contentMs: 5 }, () => bites++)
    dog.waiting()
    dog.received()
    await new Promise(resolve => setTimeout(resolve, 60))
    expect(bites).toBe(0)
    dog.waiting()
    while (bites === 0) await new Promise(resolve => setTimeout(resolve, 1))
    dog.stop()
    expect(dog.exceededLimit()).toBeDefined()
  })
})

describe('the event parser', () => {
  it('gives events as they become complete, whatever the pieces, and drops an unfinished one', () => {
    const bytes = new TextEncoder().encode(
      'event: a\r\ndata: é中☀️\r\n\r\n: comment\n\ndata: 1\ndata: 2\n\ndata: half',
    )
    const parse = createEventParser()
    const events = Array.from(bytes, byte => parse(Uint8Array.of(byte))).flat()
    expect(events.map(({ event, data }) => [event, data])).toEqual([
      ['a', 'é中☀️'],
      [undefined, '1\n2'],
    ])
  })

  it('stops at a frame that is too large, after what came before it', () => {
    const chunk = new TextEncoder().encode(`data: ${'x'.repeat(600)}`)
    const parse = createEventParser(1000)
    expect(parse(new TextEncoder().encode('data: 1\n\n'))).toHaveLength(1)
    expect(parse(chunk)).toEqual([])
    expect(() => parse(chunk)).toThrow(FrameTooLargeError)
    expect(() => parse(new TextEncoder().encode('data: 2\n\n'))).toThrow(FrameTooLargeError)
  })
})

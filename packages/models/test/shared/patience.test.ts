/** Waiting and repeating: backoff, retry-after, watchdogs, frames that are too large. */
import { describe, expect, it, vi } from 'vitest'
import { createAnthropicModel } from '../../src/anthropic/model.ts'
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

it('an attempt that is repeated leaves nothing behind: the answer begins once', async () => {
  const start =
    'data: {"type":"message_start","message":{"id":"m","model":"m","usage":{"input_tokens":1}}}\n\n'
  const busy = 'data: {"type":"error","error":{"type":"overloaded_error","message":"busy"}}\n\n'
  const rest =
    'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}\n\n'
  const answers = [start + busy, `${start}${rest}data: {"type":"message_stop"}\n\n`]
  const model = createAnthropicModel({
    model: 'm',
    apiKey: 'k',
    sleep: async () => undefined,
    // The beginning comes by itself, so that it could have been passed on.
    fetch: async () => {
      const [first = '', ...more] = (answers.shift() ?? '').split(/(?<=\n\n)/)
      const pieces = [first, more.join('')].map(text => new TextEncoder().encode(text))
      return new Response(streamOf(pieces), { headers: { 'content-type': 'text/event-stream' } })
    },
  })
  expect((await collect(model)).map(part => part.type)).toEqual(['start', 'end'])
})

describe('the watchdog', () => {
  it('lets an answer take as long as it likes while something comes, and bites when nothing does', () => {
    vi.useFakeTimers()
    try {
      const bites: string[] = []
      const dog = createWatchdog({ bytesMs: 100, contentMs: 250 }, () => bites.push(dog.bitten() ?? ''))
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
      const silent = createWatchdog({ bytesMs: 100, contentMs: 250 }, () => bites.push(silent.bitten() ?? ''))
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
          bites.push(`${name} ${dog.bitten()}`),
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
    expect(dog.bitten()).toBeDefined()
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

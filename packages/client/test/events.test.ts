import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { delayOf } from '../src/backoff.ts'
import { createClient, type ToolwireError } from '../src/index.ts'
import { broken, fakeFetch, note, openStream, refuse, status, stream } from './fake-fetch.ts'

const clientOf = (fetch: typeof globalThis.fetch) =>
  createClient({ fetch, backoff: { baseMs: 100, maxMs: 1000 }, silenceMs: 25_000 })

async function collect(events: AsyncIterable<{ readonly seq: number }>): Promise<number[]> {
  const out: number[] = []
  for await (const { seq } of events) out.push(seq)
  return out
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('events', () => {
  it('resumes behind the last whole frame and gives every record once', async () => {
    const cut = note(3).slice(0, -5)
    const { fetch, seen } = fakeFetch(stream(note(1) + note(2) + cut), stream(note(2) + note(3)), status(204))
    const got = collect(clientOf(fetch).events('s', { follow: false }))
    await vi.runAllTimersAsync()
    expect(await got).toEqual([1, 2, 3])
    expect(seen.map(request => request.headers.get('last-event-id'))).toEqual([null, 's.2.0', 's.3.0'])
    expect(seen[0]?.url.pathname).toBe('/api/sessions/s/events')
    expect(seen[0]?.url.searchParams.get('wire')).toBe('canonical')
  })

  it('asks for what is repeated only once more, whole, when it cannot fill it in', async () => {
    const foreign = note(2).replace(
      '"type":"note"',
      '"type":"tool.ready","call_id":"c","omitted":["input_text"]',
    )
    const { fetch, seen } = fakeFetch(stream(note(1)), stream(foreign), stream(note(2)), status(204))
    const got = collect(clientOf(fetch).events('s', { follow: false }))
    await vi.runAllTimersAsync()
    expect(await got).toEqual([1, 2])
    expect(seen.map(({ url }) => url.searchParams.get('repeats'))).toEqual(['omit', 'omit', null, null])
    expect(seen[2]?.url.searchParams.get('after')).toBe('s.1.0')
  })

  it('starts behind a given record', async () => {
    const { fetch, seen } = fakeFetch(stream(note(5)), status(204))
    const got = collect(clientOf(fetch).events('s', { after: 4, follow: false }))
    await vi.runAllTimersAsync()
    expect(await got).toEqual([5])
    expect(seen[0]?.url.searchParams.get('after')).toBe('4')
  })

  it('reads a frame that chunks cut inside a character', async () => {
    const bytes = new TextEncoder().encode(note(1).replace('"n"', '"中文"'))
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(new Uint8Array([byte]))
        controller.close()
      },
    })
    const { fetch } = fakeFetch(() => new Response(body), status(204))
    const names: unknown[] = []
    const reading = (async () => {
      for await (const { ev } of clientOf(fetch).events('s', { follow: false }))
        if (ev.type === 'note') names.push(ev.name)
    })()
    await vi.runAllTimersAsync()
    await reading
    expect(names).toEqual(['中文'])
  })

  for (const code of [401, 403, 404, 410])
    it(`stops at status ${code} with the server's error`, async () => {
      const { fetch, seen } = fakeFetch(refuse('nope', code))
      const got = collect(clientOf(fetch).events('s')).catch((error: ToolwireError) => error)
      await vi.runAllTimersAsync()
      expect(await got).toMatchObject({
        code: 'nope',
        status: code,
        retryable: false,
        request_id: 'rq',
        details: { a: 1 },
      })
      expect(seen).toHaveLength(1)
    })

  it('stops at 204', async () => {
    const { fetch, seen } = fakeFetch(status(204))
    expect(await collect(clientOf(fetch).events('s'))).toEqual([])
    expect(seen).toHaveLength(1)
  })

  it('waits longer and longer between attempts, with jitter, and starts over after news', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(1)
    const { fetch, seen } = fakeFetch(
      broken,
      refuse('busy', 503, true),
      refuse('slow', 429, true),
      stream(note(1)),
      broken,
      status(204),
    )
    const times: number[] = []
    const start = Date.now()
    const timed: typeof fetch = (input, init) => {
      times.push(Date.now() - start)
      return fetch(input, init)
    }
    const got = collect(clientOf(timed).events('s'))
    await vi.runAllTimersAsync()
    expect(await got).toEqual([1])
    expect(seen).toHaveLength(6)
    // 100, 200, 400; then at once after the polite end; then 200 as the first repetition failed too.
    expect(times).toEqual([0, 100, 300, 700, 700, 900])
    vi.mocked(Math.random).mockRestore()
  })

  it('spreads its attempts over half of the delay, which doubles up to a limit', () => {
    const backoff = { baseMs: 100, maxMs: 1000 }
    expect([0, 1, 2, 9, 99].map(attempt => delayOf(attempt, backoff, 0))).toEqual([50, 100, 200, 500, 500])
    expect([0, 1, 2, 9, 99].map(attempt => delayOf(attempt, backoff, 1))).toEqual([100, 200, 400, 1000, 1000])
  })

  it('treats a stream as dead after 25 s without a byte and resumes it', async () => {
    const first = openStream()
    const { fetch, seen } = fakeFetch(first.answer, stream(note(2)), status(204))
    const got = collect(clientOf(fetch).events('s'))
    await vi.advanceTimersByTimeAsync(0)
    first.write(note(1))
    await vi.advanceTimersByTimeAsync(24_999)
    expect(seen).toHaveLength(1)
    await vi.runAllTimersAsync()
    expect(await got).toEqual([1, 2])
    expect(seen[1]?.headers.get('last-event-id')).toBe('s.1.0')
  })

  it('is kept alive by comments', async () => {
    const first = openStream()
    const { fetch, seen } = fakeFetch(first.answer, status(204))
    const got = collect(clientOf(fetch).events('s'))
    for (let i = 0; i < 10; i++) {
      await vi.advanceTimersByTimeAsync(20_000)
      first.write(': hb\n\n')
    }
    expect(seen).toHaveLength(1)
    await vi.runAllTimersAsync()
    expect(await got).toEqual([])
  })

  it('treats a silent server as dead too', async () => {
    const { fetch, seen } = fakeFetch(() => new Promise(() => {}), status(204))
    const got = collect(clientOf(fetch).events('s'))
    await vi.runAllTimersAsync()
    expect(await got).toEqual([])
    expect(seen).toHaveLength(2)
  })

  it('resumes after a break in the middle of a stream', async () => {
    const first = openStream()
    const { fetch } = fakeFetch(first.answer, stream(note(2)), status(204))
    const got = collect(clientOf(fetch).events('s'))
    await vi.advanceTimersByTimeAsync(0)
    first.write(note(1) + note(2).slice(0, 30))
    await vi.advanceTimersByTimeAsync(0)
    first.fail()
    await vi.runAllTimersAsync()
    expect(await got).toEqual([1, 2])
  })

  it('ends at an abort, also while it waits to reconnect', async () => {
    const controller = new AbortController()
    const { fetch } = fakeFetch(broken)
    const got = collect(clientOf(fetch).events('s', { signal: controller.signal }))
    await vi.advanceTimersByTimeAsync(5000)
    controller.abort()
    expect(await got).toEqual([])
  })

  it('lets a page that is seen answer its reader between large records, and not between small ones', async () => {
    const yields = vi.fn(async () => {})
    vi.stubGlobal('document', Object.assign(new EventTarget(), { hidden: false }))
    vi.stubGlobal('scheduler', { yield: yields })
    const large = (seq: number) => note(seq).replace('"n"', JSON.stringify('x'.repeat(150_000)))
    const read = async (text: string) => {
      const got = collect(clientOf(fakeFetch(stream(text), status(204)).fetch).events('s'))
      await vi.runAllTimersAsync()
      return await got
    }
    expect(await read(note(1) + note(2) + note(3))).toEqual([1, 2, 3])
    expect(yields).not.toHaveBeenCalled()
    expect(await read(large(1) + large(2) + large(3))).toEqual([1, 2, 3])
    // Once for the text that came in one piece, and once for each record.
    expect(yields).toHaveBeenCalledTimes(4)
    vi.unstubAllGlobals()
  })

  it('lets it answer also while one record comes in many pieces that are all there', async () => {
    const yields = vi.fn(async () => {})
    vi.stubGlobal('document', Object.assign(new EventTarget(), { hidden: false }))
    vi.stubGlobal('scheduler', { yield: yields })
    const bytes = new TextEncoder().encode(note(1).replace('"n"', JSON.stringify('x'.repeat(1_000_000))))
    const pieces = () =>
      new Response(
        new ReadableStream<Uint8Array>({
          start(controller) {
            for (let at = 0; at < bytes.length; at += 10_000) controller.enqueue(bytes.slice(at, at + 10_000))
            controller.close()
          },
        }),
      )
    const got = collect(clientOf(fakeFetch(pieces, status(204)).fetch).events('s'))
    await vi.runAllTimersAsync()
    expect(await got).toEqual([1])
    // Every 131,072 bytes, and once before the record is parsed.
    expect(yields).toHaveBeenCalledTimes(Math.floor(1_000_000 / 140_000) + 1)
    vi.unstubAllGlobals()
  })

  it('passes over frames that are not records', async () => {
    const { fetch } = fakeFetch(stream(`data: nonsense\n\ndata: {"a":1}\n\n${note(1)}`), status(204))
    const got = collect(clientOf(fetch).events('s'))
    await vi.runAllTimersAsync()
    expect(await got).toEqual([1])
  })
})

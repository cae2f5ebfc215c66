import { randomUUID } from 'node:crypto'
import type { ViewRecord } from '@toolwire/core/view'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ConnectionChange, RecordOptions, RecordSource } from '../src/index.ts'
import { shareStreams } from '../src/shared-stream.ts'
import { ToolwireError } from '../src/toolwire-error.ts'
import { promptChannel } from './prompt-channel.ts'

/** A log that grows by hand, and who reads it. */
class Log {
  readonly records: ViewRecord[] = []
  /** Where each connection began, and how many are open now. */
  readonly begun: (number | string | undefined)[] = []
  open = 0
  most = 0
  readonly #connections = new Set<RecordOptions>()
  #changed = Promise.withResolvers<void>()

  append(count = 1, more: object = {}): void {
    for (let n = 0; n < count; n++) this.records.push(record(this.records.length + 1, more))
    this.#tell()
  }

  /** Another history, as after a restored backup. */
  replace(count: number): void {
    this.records.length = 0
    for (const { onReset } of this.#connections) onReset?.()
    this.append(count)
  }

  say(change: ConnectionChange): void {
    for (const { onConnection } of this.#connections) onConnection?.(change)
  }

  #tell(): void {
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
  }

  readonly source: RecordSource = options => this.#read(options)

  async *#read(options: RecordOptions): AsyncGenerator<readonly ViewRecord[]> {
    const { after, signal, onConnection, onPlace } = options
    this.begun.push(after)
    this.#connections.add(options)
    this.open += 1
    this.most = Math.max(this.most, this.open)
    const stop = () => this.#tell()
    signal?.addEventListener('abort', stop)
    try {
      onConnection?.({ type: 'open', head: this.records.length })
      let at = Number(String(after ?? 0).replace('place ', ''))
      while (!signal?.aborted) {
        if (at > this.records.length) at = 0
        const batch = this.records.slice(at)
        at = this.records.length
        if (batch.length === 0) await this.#changed.promise
        else {
          yield batch
          onPlace?.(`place ${batch.at(-1)?.seq}`)
        }
      }
    } finally {
      signal?.removeEventListener('abort', stop)
      this.#connections.delete(options)
      this.open -= 1
    }
  }
}

const record = (seq: number, more: object): ViewRecord =>
  ({
    seq,
    ev: { type: 'note', name: 'n', value: seq, ts: '2026-01-01T00:00:00.000Z', ...more },
  }) as unknown as ViewRecord

interface Reader {
  readonly got: number[]
  readonly changes: ConnectionChange[]
  readonly places: string[]
  readonly leave: () => Promise<void>
}

const readers: Reader[] = []
afterEach(async () => {
  for (const reader of readers.splice(0)) await reader.leave()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

function join(source: RecordSource, about: string, options: RecordOptions = {}): Reader {
  const over = new AbortController()
  const reader = { got: [] as number[], changes: [] as ConnectionChange[], places: [] as string[] }
  const reading = (async () => {
    const batches = shareStreams(
      source,
      () => about,
    )({
      ...options,
      signal: over.signal,
      onConnection: change => reader.changes.push(change),
      onPlace: id => reader.places.push(id),
      onReset: () => {
        reader.got.length = 0
      },
    })
    for await (const batch of batches) reader.got.push(...batch.map(({ seq }) => seq))
  })()
  const made: Reader = {
    ...reader,
    async leave() {
      over.abort()
      await reading.catch(() => {})
    },
  }
  readers.push(made)
  return made
}

/** A lock that another tab holds. */
const neverGranted = (_: string, { signal }: { readonly signal: AbortSignal }) =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1)
const eventually = (read: () => unknown) => expect.poll(read, { timeout: 100_000, interval: 5 })
const turn = () => new Promise(resolve => setImmediate(resolve))

describe('readers of one session in several tabs', () => {
  // However slow the machine is, no tab takes another for gone.
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  })

  it.each([
    ['one long text', { input_text: 'x'.repeat(100_000) }],
    ['many values', { input: { rows: Array.from({ length: 20_000 }, (_, n) => n) } }],
  ])('are never sent what is large through the channel, and have it all the same: %s', async (_, more) => {
    const sent: { readonly type: string; readonly records?: readonly ViewRecord[] }[] = []
    vi.stubGlobal(
      'BroadcastChannel',
      class extends BroadcastChannel {
        override postMessage(message: (typeof sent)[number]): void {
          sent.push(message)
          super.postMessage(message)
        }
      },
    )
    const log = new Log()
    const about = randomUUID()
    const first = join(log.source, about)
    const other = join(log.source, about)
    log.append()
    for (const reader of [first, other]) await eventually(() => reader.got).toEqual([1])
    log.append(1, more)
    for (const reader of [first, other]) await eventually(() => reader.got).toEqual([1, 2])
    log.append()
    for (const reader of [first, other]) {
      await eventually(() => reader.got).toEqual([1, 2, 3])
      await eventually(() => reader.places.at(-1)).toBe('place 3')
    }
    const told = sent.flatMap(({ records = [] }) => records.map(({ seq }) => seq))
    expect(told).not.toContain(2)
    expect(told).toContain(3)
    await eventually(() => log.open).toBe(1)
  })

  it('share one connection, and each gets every record once and in order', async () => {
    const log = new Log()
    log.append(3)
    const about = randomUUID()
    const first = join(log.source, about)
    await eventually(() => first.got).toEqual([1, 2, 3])
    const others = [join(log.source, about), join(log.source, about)]
    for (const other of others) await eventually(() => other.got).toEqual([1, 2, 3])
    // Missed records came over temporary connections, which they have closed.
    await eventually(() => log.open).toBe(1)
    log.append()
    log.append(2)
    for (const reader of [first, ...others]) await eventually(() => reader.got).toEqual(upTo(6))
    for (const reader of [first, ...others]) await eventually(() => reader.places.at(-1)).toBe('place 6')
    expect(log.begun).toHaveLength(3)
  })

  it('take no connection at all when they have what the reading tab has', async () => {
    const log = new Log()
    log.append(2)
    const about = randomUUID()
    const first = join(log.source, about)
    await eventually(() => first.got).toEqual([1, 2])
    const other = join(log.source, about, { after: 'place 2', head: 2 })
    await eventually(() => other.changes.at(-1)).toEqual({ type: 'open', head: 2 })
    log.append()
    await eventually(() => other.got).toEqual([3])
    expect(log.begun).toHaveLength(1)
  })

  it('continue without a gap when the reading tab closes: the next reads from its own position', async () => {
    const log = new Log()
    const about = randomUUID()
    const first = join(log.source, about)
    // Of two that come at once either may read.
    await eventually(() => log.open).toBe(1)
    const second = join(log.source, about)
    log.append(2)
    await eventually(() => second.got).toEqual([1, 2])
    await eventually(() => second.places.at(-1)).toBe('place 2')
    const connections = log.begun.length
    log.append()
    await first.leave()
    log.append()
    await eventually(() => second.got).toEqual([1, 2, 3, 4])
    const since = log.begun.slice(connections)
    expect(since).not.toEqual([])
    // Recent records may have to be read first, over a temporary connection.
    for (const place of since) expect(place).toMatch(/^place [23]$/)
    await eventually(() => log.open).toBe(1)
  })

  it('restart together when the log is another one', async () => {
    const log = new Log()
    log.append(3)
    const about = randomUUID()
    const both = [join(log.source, about), join(log.source, about)]
    for (const reader of both) await eventually(() => reader.got).toEqual([1, 2, 3])
    await eventually(() => log.open).toBe(1)
    log.replace(2)
    for (const reader of both) await eventually(() => reader.got).toEqual([1, 2])
  })

  it('all know the state of the connection, with the reason', async () => {
    const log = new Log()
    log.append()
    const about = randomUUID()
    const first = join(log.source, about)
    await eventually(() => first.got).toEqual([1])
    const other = join(log.source, about)
    await eventually(() => other.got).toEqual([1])
    await eventually(() => log.open).toBe(1)
    const error = new ToolwireError('busy', 'not now', { status: 503, retryable: true })
    log.say({ type: 'connecting', attempt: 2, error })
    await eventually(() => other.changes.at(-1)).toMatchObject({ type: 'connecting', attempt: 2 })
    const last = other.changes.at(-1)
    expect(last?.type === 'connecting' && last.error).toBeInstanceOf(ToolwireError)
    expect(last).toMatchObject({ error: { code: 'busy', message: 'not now', status: 503, retryable: true } })
  })

  it('are each refused by the server, not by each other', async () => {
    const refused = new ToolwireError('session_deleted', 'gone', { status: 410 })
    let asked = 0
    const source: RecordSource = async function* () {
      asked += 1
      yield* []
      throw refused
    }
    const shared = shareStreams(source, () => 'refused')
    const read = async () => {
      for await (const _ of shared({})) expect.unreachable()
    }
    const ends = await Promise.allSettled([read(), read()])
    expect(ends.map(end => end.status === 'rejected' && end.reason)).toEqual([refused, refused])
    expect(asked).toBe(2)
  })

  it('share nothing when the session, the server or the key is another one', async () => {
    const log = new Log()
    log.append()
    const both = [join(log.source, randomUUID()), join(log.source, randomUUID())]
    for (const reader of both) await eventually(() => reader.got).toEqual([1])
    expect(log.open).toBe(2)
  })

  it('see every record once and in order, whatever tabs open and close while the log grows', async () => {
    const step = fc.oneof(
      fc.record({ type: fc.constant('append' as const), count: fc.integer({ min: 1, max: 3 }) }),
      fc.record({ type: fc.constant('join' as const) }),
      fc.record({ type: fc.constant('leave' as const), which: fc.nat(5) }),
      fc.record({ type: fc.constant('breathe' as const) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async steps => {
        const log = new Log()
        const about = randomUUID()
        const here = [join(log.source, about)]
        for (const one of steps) {
          if (one.type === 'append') log.append(one.count)
          if (one.type === 'join') here.push(join(log.source, about))
          if (one.type === 'leave') await here.splice(one.which % here.length, 1)[0]?.leave()
          if (here.length === 0) here.push(join(log.source, about))
          if (one.type === 'breathe') for (let n = 0; n < 5; n++) await turn()
        }
        log.append()
        for (const reader of here) await eventually(() => reader.got).toEqual(upTo(log.records.length))
        await eventually(() => log.open).toBe(1)
        for (const reader of here) await reader.leave()
        expect(log.open).toBe(0)
      }),
      { numRuns: 25 },
    )
  })
})

describe('a reader', () => {
  it('reads by itself when the tab that holds the lock does not answer', async () => {
    const request = vi.fn(neverGranted)
    vi.stubGlobal('navigator', { locks: { request } })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const log = new Log()
    log.append(2)
    const reader = join(log.source, 'nobody answers')
    while (vi.getTimerCount() === 0) await turn()
    vi.advanceTimersByTime(1999)
    await turn()
    expect(log.begun).toEqual([])
    vi.advanceTimersByTime(1)
    vi.useRealTimers()
    await eventually(() => reader.got).toEqual([1, 2])
    // A lock that came now would keep it from those who answer.
    expect(request.mock.lastCall?.[1].signal.aborted).toBe(true)
  })

  it('asks a silent tab whether it is still there, and stays with one that answers', async () => {
    const sent = vi.fn()
    vi.stubGlobal('BroadcastChannel', promptChannel(sent))
    const log = new Log()
    log.append()
    const about = randomUUID()
    const first = join(log.source, about)
    await eventually(() => first.got).toEqual([1])
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const other = join(log.source, about, { after: 'place 1', head: 1 })
    while (other.changes.length < 2) await turn()
    sent.mockClear()
    for (let n = 0; n < 5; n++) {
      vi.advanceTimersByTime(10_000)
      await turn()
    }
    expect(sent.mock.calls.map(([{ type }]) => type)).toEqual(Array(5).fill(['hello', 'here']).flat())
    log.append()
    await eventually(() => other.got).toEqual([2])
    expect(log.begun).toHaveLength(1)
  })

  it('has a separate stream where the browser has no locks, and for a history that ends', () => {
    const source: RecordSource = vi.fn()
    const shared = shareStreams(source, () => 'x')
    void shared({ follow: false })
    expect(source).toHaveBeenCalledOnce()
    vi.stubGlobal('navigator', {})
    expect(shareStreams(source, () => 'x')).toBe(source)
  })
})

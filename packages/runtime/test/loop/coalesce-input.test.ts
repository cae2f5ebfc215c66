/** Deltas of arguments become fewer and larger, and stay the same text. */
import type { SessionEvent } from '@toolwire/core'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { coalesceInput } from '../../src/loop/coalesce-input.ts'

const ts = '2026-01-01T00:00:00.000Z'
const delta = (block_id: string, offset: number, input_text: string): SessionEvent => ({
  type: 'block.delta',
  ts,
  run_id: 'r',
  turn: 1,
  block_id,
  offset,
  input_text,
})
const done = (block_id: string, input_text: string): SessionEvent => ({
  type: 'block.completed',
  ts,
  run_id: 'r',
  turn: 1,
  block_id,
  input_text,
})

function setUp() {
  const sent: SessionEvent[] = []
  const coalescer = coalesceInput((...events) => {
    sent.push(...events)
    return undefined
  })
  const feed = (block: string, text: string, size: number): void => {
    for (let at = 0; at < text.length; at += size)
      void coalescer.emit(delta(block, at, text.slice(at, at + size)))
  }
  return { sent, coalescer, feed }
}

/** The text of every block from its deltas; fails on a gap. */
function texts(events: readonly SessionEvent[]): Readonly<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const ev of events) {
    if (ev.type !== 'block.delta') continue
    const before = found[ev.block_id] ?? ''
    expect(ev.offset).toBe(before.length)
    found[ev.block_id] = before + (ev.input_text ?? '')
  }
  return found
}

describe('deltas of arguments', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('of one megabyte in pieces of 16 become a few hundred, with the same text', () => {
    const { sent, coalescer, feed } = setUp()
    const text = 'line of code;\n'.repeat(75_000)
    feed('b', text, 16)
    void coalescer.flush()
    expect(texts(sent)).toEqual({ b: text })
    expect(sent.length).toBeLessThan(400)
    // However fast they come, none waits for more than a small share of what was sent.
    expect(sent.length).toBeGreaterThan(200)
  })

  it('go at once when they are the first of a block, or come after a pause', () => {
    const { sent, coalescer } = setUp()
    void coalescer.emit(delta('b', 0, '{'))
    expect(sent).toHaveLength(1)
    vi.advanceTimersByTime(50)
    void coalescer.emit(delta('b', 1, '"a'))
    expect(sent).toHaveLength(2)
  })

  it('wait fifty milliseconds at most when no more follows', () => {
    const { sent, coalescer } = setUp()
    void coalescer.emit(delta('b', 0, '{'))
    void coalescer.emit(delta('b', 1, '"a"'))
    vi.advanceTimersByTime(49)
    expect(sent).toHaveLength(1)
    vi.advanceTimersByTime(1)
    expect(texts(sent)).toEqual({ b: '{"a"' })
  })

  it('never overtake or fall behind another event', () => {
    const { sent, coalescer } = setUp()
    void coalescer.emit(delta('b', 0, '{'))
    void coalescer.emit(delta('b', 1, '}'))
    void coalescer.emit(done('b', '{}'))
    expect(sent.map(ev => ev.type)).toEqual(['block.delta', 'block.delta', 'block.completed'])
  })

  it('hold nothing back after a flush', () => {
    const { sent, coalescer } = setUp()
    void coalescer.emit(delta('b', 0, '{'))
    void coalescer.emit(delta('b', 1, '}'))
    void coalescer.flush()
    void coalescer.flush()
    expect(texts(sent)).toEqual({ b: '{}' })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('keep the text of every block, however it is cut and whenever time passes', () => {
    const step = fc.record({ size: fc.integer({ min: 1, max: 400 }), ms: fc.constantFrom(0, 0, 10, 60) })
    fc.assert(
      fc.property(fc.array(fc.array(step, { maxLength: 30 }), { maxLength: 4 }), blocks => {
        const { sent, coalescer } = setUp()
        const expected: Record<string, string> = {}
        for (const [n, steps] of blocks.entries()) {
          for (const { size, ms } of steps) {
            const before = expected[`b${n}`] ?? ''
            const more = String(before.length).padEnd(size, 'x')
            void coalescer.emit(delta(`b${n}`, before.length, more))
            expected[`b${n}`] = before + more
            vi.advanceTimersByTime(ms)
          }
        }
        void coalescer.flush()
        expect(texts(sent)).toEqual(expected)
      }),
    )
  })
})

import { describe, expect, it } from 'vitest'
import { applyRecords, emptyView } from '../../src/view/index.ts'
import { OUTPUT_CHARS, TAIL_CHARS } from '../../src/view/live-text.ts'
import { Script } from './script.ts'

const callOf = (script: Script) => applyRecords(emptyView(), script.records).calls.get('c1')
const running = () =>
  new Script()
    .created()
    .ask('hi')
    .turn('m1')
    .call('m1', 0, 'c1', {})
    .add('tool.started', { call_id: 'c1', attempt: 1 })
const numbered = (n: number) => `${String(n).padStart(99, '.')}\n`
const print = (script: ReturnType<typeof running>, from: number, to: number) => {
  for (let n = from; n < to; n++) script.add('tool.progress', { call_id: 'c1', output_delta: numbered(n) })
  return script
}

describe('output of a running call', () => {
  it('keeps all of an output of less than a megabyte, and only its end at hand', () => {
    const output = callOf(print(running(), 0, 9000))?.output
    expect(output).toMatchObject({ chars: 900_000, lines: 9000, cut: false })
    const all = Array.from({ length: 9000 }, (_, n) => numbered(n)).join('')
    expect(`${output?.older}${output?.tail}` === all).toBe(true)
    expect(output?.tail.length).toBeLessThanOrEqual(2 * TAIL_CHARS)
    expect(output?.tail.length).toBeGreaterThan(TAIL_CHARS - 1000)
  })

  it('keeps the last megabyte of running output in whole lines, and still includes all of it in its totals', () => {
    const output = callOf(print(running(), 0, 30_000))?.output
    expect(output).toMatchObject({ chars: 3_000_000, lines: 30_000, cut: true })
    const kept = `${output?.older}${output?.tail}`
    expect(kept.length).toBeLessThanOrEqual(OUTPUT_CHARS)
    expect(kept.length).toBeGreaterThan(OUTPUT_CHARS - TAIL_CHARS - 2000)
    const from = 30_000 - kept.length / 100
    const lines = Array.from({ length: 30_000 - from }, (_, n) => numbered(from + n))
    expect(kept === lines.join('')).toBe(true)
  })

  it('keeps no more than a megabyte of one huge piece, and halves no character', () => {
    const rockets = '🚀'.repeat(1_000_000)
    for (const output_delta of [`x${rockets}`, `${rockets}x`]) {
      const output = callOf(running().add('tool.progress', { call_id: 'c1', output_delta }))?.output
      const kept = `${output?.older}${output?.tail}`
      expect(kept.length).toBeLessThanOrEqual(OUTPUT_CHARS)
      expect(kept.isWellFormed()).toBe(true)
      expect(output?.tail.isWellFormed()).toBe(true)
    }
  })

  it('lets go of running output when the result is there, and keeps its counts', () => {
    const script = print(running(), 0, 5000).add('tool.completed', {
      call_id: 'c1',
      output_text: 'done',
      content: [],
      is_error: false,
      duration_ms: 5,
    })
    expect(callOf(script)?.output).toEqual({ tail: '', older: '', chars: 500_000, lines: 5000, cut: false })
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeSse, foldThreadAnswer, framesAfter, threadWire, type Wire } from '../../src/index.ts'
import { randomLog } from '../random-log.ts'
import { findBrokenCut, type Resume, SESSION } from '../resume-property.ts'

const seeds = fc.integer({ min: 0, max: 1_000_000 })
const SMALL = { runs: 2, deltas: 3 }
const everything: Wire = {
  id: 'thread with all options',
  open: context => threadWire.open({ ...context, options: { input_deltas: true, agents: true } }),
}

interface Shown {
  readonly type: string
  readonly call_id?: string
}
function show(seed: number): readonly Shown[] {
  const step = threadWire.open({ session_id: SESSION })
  return randomLog(seed).flatMap(rec => step(rec).map(frame => JSON.parse(frame.data) as Shown))
}

describe.each([threadWire, everything])('the $id wire', wire => {
  it('continues byte for byte after a cut behind any frame', () => {
    fc.assert(
      fc.property(seeds, seed => {
        expect(findBrokenCut(wire, randomLog(seed, SMALL))).toBeUndefined()
      }),
      { numRuns: 25 },
    )
  })
})

describe('the thread wire on random logs', () => {
  it('pairs every lifecycle, and ends every answer once', () => {
    fc.assert(
      fc.property(seeds, seed => {
        const open = { iteration: 0, text: 0, reasoning: 0 }
        let answering = false
        for (const { type } of show(seed)) {
          const [family, step] = type.split('.')
          if (type === 'conversation.started' || type === 'conversation.resumed') {
            expect(answering).toBe(false)
            answering = true
          } else expect(answering).toBe(true)
          if (family === 'iteration' || family === 'text' || family === 'reasoning') {
            if (step === 'started') open[family] += 1
            if (step === 'completed') open[family] -= 1
            expect(open[family] === 0 || open[family] === 1).toBe(true)
          }
          if (/^conversation\.(paused|completed|canceled)$/.test(type)) {
            expect(open).toEqual({ iteration: 0, text: 0, reasoning: 0 })
            answering = false
          }
        }
        expect(answering).toBe(false)
      }),
      { numRuns: 150 },
    )
  })

  it('gives every prepared call at most one result, and an error only before a result', () => {
    fc.assert(
      fc.property(seeds, seed => {
        const results = new Set<string>()
        let failed: string | undefined
        for (const event of show(seed)) {
          if (failed !== undefined) expect(event).toMatchObject({ type: 'tool.result', success: false })
          failed = event.type === 'tool.error' ? event.call_id : undefined
          if (event.type !== 'tool.result') continue
          expect(results.has(event.call_id ?? '')).toBe(false)
          results.add(event.call_id ?? '')
        }
      }),
      { numRuns: 100 },
    )
  })

  it('folds to the same answer with and without its previews', () => {
    fc.assert(
      fc.property(seeds, seed => {
        const step = threadWire.open({ session_id: SESSION })
        const frames = randomLog(seed, { runs: 1 }).flatMap(rec => step(rec))
        const whole = foldThreadAnswer(frames)
        expect(whole.status).not.toBe('in_progress')
        expect(foldThreadAnswer(frames.filter(frame => !frame.event?.endsWith('.chunk')))).toEqual(whole)
      }),
      { numRuns: 60 },
    )
  })
})

describe('the resume property', () => {
  it('detects a thread projection that starts afresh at the cursor', () => {
    const fresh: Resume = (wire, log, cursor) => {
      const step = wire.open({ session_id: SESSION })
      return log
        .filter(rec => rec.seq >= cursor.seq)
        .flatMap(rec => framesAfter(SESSION, rec, step(rec), cursor).map(encodeSse))
    }
    const logs = Array.from({ length: 20 }, (_, seed) => randomLog(seed, SMALL))
    expect(logs.some(log => findBrokenCut(threadWire, log, fresh) !== undefined)).toBe(true)
  })
})

import { type Cursor, evolve, initial, next, type Rec } from '@toolwire/core'
import { SessionEvent } from '@toolwire/core/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalWire, chatWire, encodeSse, type Frame, framesAfter, type Wire } from '../src/index.ts'
import { randomLog } from './random-log.ts'
import { findBrokenCut, type Resume, resumeFromStart, SESSION } from './resume-property.ts'

const seeds = fc.integer({ min: 0, max: 1_000_000 })
const SMALL = { runs: 2, deltas: 3 }

describe('random logs', () => {
  it('are legal: every event fits the schema, sequence numbers have no gap, the session becomes idle', () => {
    fc.assert(
      fc.property(seeds, seed => {
        const log = randomLog(seed)
        for (const [i, rec] of log.entries()) {
          expect(rec.seq).toBe(i + 1)
          expect(SessionEvent.safeParse(rec.ev).success).toBe(true)
        }
        expect(next(log.reduce(evolve, initial())).do).toBe('rest')
      }),
      { numRuns: 100 },
    )
  })

  it('reach every kind of event that the chat wire shows', () => {
    const types = new Set(
      Array.from({ length: 60 }, (_, seed) => randomLog(seed))
        .flat()
        .map(rec => rec.ev.type),
    )
    for (const type of [
      'run.paused',
      'run.failed',
      'run.cancelled',
      'agent.started',
      'message.aborted',
      'tool.client_requested',
      'tool.approval_resolved',
      'tool.progress',
    ] as const)
      expect(types).toContain(type)
  })
})

describe.each([chatWire, canonicalWire])('the $id wire', wire => {
  it('continues byte for byte after a cut behind any frame', () => {
    fc.assert(
      fc.property(seeds, seed => {
        expect(findBrokenCut(wire, randomLog(seed, SMALL))).toBeUndefined()
      }),
      { numRuns: 40 },
    )
  })

  it('gives every frame a unique id and one line of JSON', () => {
    fc.assert(
      fc.property(seeds, seed => {
        const frames = resumeFromStart(wire, randomLog(seed), { seq: 0, k: 0 })
        const ids = frames.map(frame => /^id: (.+)$/m.exec(frame)?.[1])
        expect(new Set(ids).size).toBe(frames.length)
        for (const frame of frames) {
          const lines = frame.split('\n')
          expect(lines.filter(line => line.startsWith('data: '))).toHaveLength(1)
          expect(() =>
            JSON.parse(lines.find(line => line.startsWith('data: '))?.slice(6) ?? ''),
          ).not.toThrow()
        }
      }),
      { numRuns: 40 },
    )
  })
})

/** True when some random log shows the defect; one that none of many logs shows would go unnoticed. */
function detects(wire: Wire, resume?: Resume): boolean {
  return Array.from({ length: 40 }, (_, seed) => randomLog(seed, SMALL)).some(
    log => findBrokenCut(wire, log, resume) !== undefined,
  )
}

describe('the resume property detects', () => {
  it('a projection that starts afresh at the cursor', () => {
    const fresh: Resume = (wire, log, cursor) => {
      const step = wire.open({ session_id: SESSION })
      return log
        .filter(rec => rec.seq >= cursor.seq)
        .flatMap(rec => framesAfter(SESSION, rec, step(rec), cursor).map(encodeSse))
    }
    expect(detects(chatWire, fresh)).toBe(true)
  })

  it('two frames that share one id', () => {
    const shared: Resume = (wire, log, cursor) => {
      const step = wire.open({ session_id: SESSION })
      const oneId = (rec: Rec, frames: readonly Frame[], at: Cursor) =>
        rec.seq > at.seq
          ? framesAfter(SESSION, rec, frames, at).map(frame => ({ ...frame, id: `${SESSION}.${rec.seq}.0` }))
          : []
      return log.flatMap(rec => oneId(rec, step(rec), cursor).map(encodeSse))
    }
    expect(detects(chatWire, shared)).toBe(true)
  })

  it('a step that remembers something outside of its state', () => {
    let calls = 0
    const impure: Wire = {
      id: 'impure',
      open: () => rec => [{ data: JSON.stringify({ type: rec.ev.type, n: calls++ }) }],
    }
    expect(detects(impure)).toBe(true)
  })
})

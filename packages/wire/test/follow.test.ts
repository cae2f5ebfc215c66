import { createSelector, type EventOf, type Follow, type Rec, type SessionEvent } from '@toolwire/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { randomLog } from './random-log.ts'

const seeds = fc.integer({ min: 0, max: 1_000_000 })
const run = (follow: Follow, log: readonly Rec[]) => {
  const followed = createSelector(follow)
  return log.map(followed)
}
const isRootEnd = (rec: Rec) =>
  rec.ev.agent_run_id === undefined && /^run\.(completed|paused|failed|cancelled)$/.test(rec.ev.type)

describe('following a run', () => {
  it('shows exactly its records and ends once, at its end', () => {
    fc.assert(
      fc.property(seeds, seed => {
        const log = randomLog(seed)
        const ids = new Set(log.flatMap(rec => (rec.ev.type === 'run.started' ? [rec.ev.run_id ?? ''] : [])))
        for (const run_id of ids) {
          const followed = run({ kind: 'run', run_id }, log)
          const last = followed.flatMap((f, i) => (f.last ? [log[i]] : []))
          expect(last).toHaveLength(1)
          expect(last[0]?.ev.run_id).toBe(run_id)
          expect(followed.every((f, i) => f.shown === (log[i]?.ev.run_id === run_id))).toBe(true)
        }
      }),
      { numRuns: 50 },
    )
  })
})

describe('following a conversation', () => {
  it('shows all its runs and no other, from its id or from any of its runs that began it', () => {
    fc.assert(
      fc.property(seeds, seed => {
        const log = randomLog(seed)
        for (const rec of log) {
          if (rec.ev.type !== 'run.started' || rec.ev.resumes_run_id !== undefined) continue
          const { conversation_id } = rec.ev
          const followed = run({ kind: 'conversation', conversation_id }, log)
          const runs = new Set(
            log.flatMap(({ ev }) =>
              ev.type === 'run.started' && ev.conversation_id === conversation_id ? [ev.run_id] : [],
            ),
          )
          const ends = log.filter(r => isRootEnd(r) && runs.has(r.ev.run_id))
          expect(log.filter((_, i) => followed[i]?.last)).toEqual(ends)
        }
      }),
      { numRuns: 50 },
    )
  })
})

describe('following a session', () => {
  it('is complete when idle and never between a message and the end of its run', () => {
    fc.assert(
      fc.property(seeds, seed => {
        const log = randomLog(seed)
        const followed = run({ kind: 'session' }, log)
        expect(followed.at(-1)?.last).toBe(true)
        let open = false
        for (const [i, rec] of log.entries()) {
          if (rec.ev.type === 'input.message' || rec.ev.type === 'run.started') open = true
          if (isRootEnd(rec)) open = false
          if (open) expect(followed[i]?.last).toBe(false)
        }
      }),
      { numRuns: 50 },
    )
  })

  const ts = '2026-01-01T00:00:00.000Z'
  const pending = [{ kind: 'client_tool', id: 'c', call_id: 'c', name: 'n', input_text: '{}' }] as const
  const totals = { usage_by_model: [], duration_ms: 0, num_turns: 0 }
  const start: EventOf<'run.started'> = {
    type: 'run.started',
    ts,
    conversation_id: 'r',
    trigger: 'message',
    client_tools: [],
    model: 'm',
  }
  const last = (...events: SessionEvent[]) =>
    run(
      { kind: 'session' },
      events.map((ev, i) => ({ seq: i + 1, epoch: 1, ev })),
    ).at(-1)?.last

  it('is not complete while an answer or a cancel is unprocessed', () => {
    const paused: SessionEvent[] = [
      { ...start, run_id: 'r' },
      { type: 'run.paused', ts, run_id: 'r', reason: 'client_tool_execution', pending: [...pending] },
    ]
    expect(last(...paused)).toBe(true)
    const output: SessionEvent = {
      type: 'input.tool_output',
      ts,
      call_id: 'c',
      output_text: '',
      is_error: false,
      by: 'x',
    }
    expect(last(...paused, output)).toBe(false)
    expect(last(...paused, { ...output, call_id: 'other' })).toBe(true)
    expect(last(...paused, { type: 'input.cancel', ts, reason: '', by: 'x' })).toBe(false)
    expect(last(...paused, output, { ...start, run_id: 's', resumes_run_id: 'r' })).toBe(false)
  })

  it('forgets a cancel that met nothing to cancel', () => {
    expect(
      last(
        { ...start, run_id: 'q' },
        { type: 'run.cancelled', ts, run_id: 'q', reason: '', ...totals },
        { type: 'input.cancel', ts, reason: '', by: 'x' },
        { ...start, run_id: 'r' },
        { type: 'run.paused', ts, run_id: 'r', reason: 'client_tool_execution', pending: [...pending] },
      ),
    ).toBe(true)
  })
})

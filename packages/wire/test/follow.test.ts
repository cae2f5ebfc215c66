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

describe('following the run of a message that waits', () => {
  const about = { ts: '', message_id: 'm2' }
  const totals = { usage_by_model: [], duration_ms: 0, num_turns: 0 }
  const log = (...events: readonly object[]): readonly Rec[] =>
    [
      { type: 'input.message', ...about, run_id: 'r2', role: 'user', content: [] },
      { type: 'tool.started', ts: '', run_id: 'r1', call_id: 'c', attempt: 1 },
      ...events,
    ].map((ev, i) => ({ seq: i + 1, epoch: 1, ev: ev as SessionEvent }))
  const end = (type: string, extra: object = {}) => ({ type, ts: '', run_id: 'r1', ...totals, ...extra })
  const both = (records: readonly Rec[]) =>
    [{ kind: 'run', run_id: 'r2' } as const, { kind: 'conversation', conversation_id: 'r2' } as const].map(
      follow => run(follow, records),
    )

  it('shows the rest of the run that it is delivered to', () => {
    const delivered = { type: 'input.delivered', ...about, run_id: 'r1', turn: 1 }
    for (const followed of both(log(delivered, end('run.completed')))) {
      expect(followed.map(f => f.shown)).toEqual([true, false, true, true])
      expect(followed.map(f => f.last)).toEqual([false, false, false, true])
    }
  })

  it('ends when it is withdrawn, and with the run that leaves it in the queue', () => {
    const withdrawn = { type: 'input.withdrawn', ...about, run_id: 'r2', by: 'client' }
    const held = end('run.cancelled', { reason: 'stop', queue_held: ['m2'] })
    for (const event of [withdrawn, held])
      for (const followed of both(log(event))) expect(followed.at(-1)).toEqual({ shown: true, last: true })
  })

  it('does not end with a run that leaves other messages', () => {
    const other = end('run.cancelled', { reason: 'stop', queue_held: ['m3'] })
    for (const followed of both(log(other))) expect(followed.at(-1)).toEqual({ shown: false, last: false })
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

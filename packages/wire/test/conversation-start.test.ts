/** A projection that starts at a conversation gives the frames of one that starts at the first record. */
import { advance, type ConversationStart, type Facts, NO_FACTS, type Rec } from '@toolwire/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chatWire, type Frame, threadWire, type Wire, withOptions } from '../src/index.ts'
import { randomLog } from './random-log.ts'
import { SESSION } from './resume-property.ts'

const context = { session_id: SESSION }
const WIRES: readonly Wire[] = [
  chatWire,
  threadWire,
  withOptions(threadWire, { agents: true, input_deltas: true }),
]

const factsOf = (log: readonly Rec[]): Facts => log.reduce(advance, NO_FACTS)

function framesFrom(
  wire: Wire,
  log: readonly Rec[],
  start: ConversationStart,
): readonly (readonly Frame[])[] {
  const step = wire.openAt?.(context, start)
  if (!step) throw new Error('the wire cannot start at a conversation')
  return log.slice(start.seq - 1).map(step)
}

describe.each(WIRES)('the $id wire', wire => {
  it('gives the same frames from every conversation start', () => {
    let starts = 0
    fc.assert(
      fc.property(fc.integer(), seed => {
        const log = randomLog(seed, { runs: 12 })
        const step = wire.open(context)
        const whole = log.map(step)
        for (const start of factsOf(log).starts) {
          starts += 1
          expect(framesFrom(wire, log, start)).toEqual(whole.slice(start.seq - 1))
        }
      }),
      { numRuns: 30 },
    )
    expect(starts).toBeGreaterThan(30)
  })
})

const ts = '2026-01-01T00:00:00.000Z'
const message = (run_id: string) => ({
  type: 'input.message',
  ts,
  run_id,
  message_id: `m-${run_id}`,
  role: 'user',
  content: [],
})
const run = (run_id: string, type: 'run.started' | 'run.completed') =>
  type === 'run.started'
    ? { type, ts, run_id, conversation_id: run_id, trigger: 'message', client_tools: [], model: 'demo' }
    : { type, ts, run_id, status: 'success', usage_by_model: [], duration_ms: 0, num_turns: 1 }
const toLog = (events: readonly object[]): readonly Rec[] =>
  events.map((ev, i) => ({ seq: i + 1, epoch: 1, ev }) as unknown as Rec)

it('keeps a bounded number of starts, the latest ones', () => {
  const log = toLog(
    Array.from({ length: 20 }, (_, i) => [
      message(`${i}`),
      run(`${i}`, 'run.started'),
      run(`${i}`, 'run.completed'),
    ]).flat(),
  )
  expect(factsOf(log).starts.map(start => start.run_id)).toEqual([12, 13, 14, 15, 16, 17, 18, 19].map(String))
})

it('knows the queued message of a run that starts later', () => {
  const events = [
    message('a'),
    run('a', 'run.started'),
    message('b'),
    message('c'),
    run('a', 'run.completed'),
    run('b', 'run.started'),
    run('b', 'run.completed'),
    run('c', 'run.started'),
  ]
  const log = toLog(events)
  const whole = log.map(threadWire.open(context))
  const { starts, queued } = factsOf(log)
  expect(starts.map(start => Object.keys(start.before.queued))).toEqual([['a'], ['b', 'c'], ['c']])
  for (const start of starts) expect(framesFrom(threadWire, log, start)).toEqual(whole.slice(start.seq - 1))
  expect(queued).toEqual({})
})

import type { Rec, SessionEvent } from '@toolwire/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { randomLog } from '../../../wire/test/random-log.ts'
import { advance, type Facts, isBusy, NO_FACTS, pendingOf, statusOf } from '../../src/facts/index.ts'
import { checkAgreement } from './agreement.ts'

const seeds = fc.integer({ min: 0, max: 1_000_000 })
const fold = (...events: readonly Readonly<Record<string, unknown>>[]): Facts =>
  events.reduce(
    (facts, ev, index) =>
      advance(facts, { seq: index + 1, epoch: 1, ev: { ts: '', ...ev } as unknown as SessionEvent }),
    NO_FACTS,
  )

describe('facts of random logs', () => {
  test('agree with next and the view on every prefix', () => {
    fc.assert(
      fc.property(seeds, seed => checkAgreement(randomLog(seed))),
      { numRuns: 100 },
    )
  })

  test('are the same after a JSON round trip at any position', () => {
    fc.assert(
      fc.property(seeds, seed => {
        let direct = NO_FACTS
        let stored = NO_FACTS
        for (const rec of randomLog(seed)) {
          direct = advance(direct, rec)
          stored = JSON.parse(JSON.stringify(advance(stored, rec))) as Facts
          expect(JSON.stringify(stored)).toBe(JSON.stringify(direct))
        }
      }),
      { numRuns: 50 },
    )
  })

  test('are the same object after a preview', () => {
    const isPreview = ({ ev }: Rec): boolean => ev.type === 'block.delta' || ev.type === 'tool.progress'
    for (let seed = 0; seed < 20; seed++)
      randomLog(seed).reduce((facts, rec) => {
        const next = advance(facts, rec)
        if (isPreview(rec)) expect(next).toBe(facts)
        return next
      }, NO_FACTS)
  })
})

const message = { type: 'input.message', run_id: 'r1' }
const started = { type: 'run.started', run_id: 'r1', conversation_id: 'r1', client_tools: [] }
const call = (id: string) => ({
  type: 'block.started',
  run_id: 'r1',
  message_id: 'm',
  tool: { call_id: id, name: 'Bash' },
})
const asked = (id: string) => ({ type: 'tool.client_requested', run_id: 'r1', call_id: id, input_text: '{}' })
const approval = {
  type: 'tool.approval_requested',
  run_id: 'r1',
  approval_id: 'a1',
  call_id: 'c1',
  name: 'Bash',
}
const paused = (id: string) => ({ type: 'run.paused', run_id: 'r1', pending: [{ id, call_id: 'c1' }] })

describe('status', () => {
  test('is running from the message to the end of its run', () => {
    expect(statusOf(fold(message))).toBe('running')
    expect(statusOf(fold(message, started))).toBe('running')
    expect(statusOf(fold(message, started, { type: 'run.completed', run_id: 'r1' }))).toBe('idle')
    const error = { code: 'model_auth', message: 'no' }
    expect(statusOf(fold(message, started, { type: 'run.failed', run_id: 'r1', error }))).toBe('failed')
  })

  test('is paused while an answer is missing, and running once it is recorded, also before the pause', () => {
    const waits = [message, started, call('c1'), asked('c1')]
    const answer = { type: 'input.tool_output', run_id: 'r2', call_id: 'c1' }
    expect(statusOf(fold(...waits, paused('c1')))).toBe('paused')
    expect(isBusy(fold(...waits, paused('c1'), answer))).toBe(true)
    expect(isBusy(fold(...waits, answer, paused('c1')))).toBe(true)
  })

  test('is running while a message is queued behind a pause: its run is still to come', () => {
    const waits = [message, started, call('c1'), asked('c1'), paused('c1')]
    expect(isBusy(fold(...waits, { ...message, run_id: 'r2' }))).toBe(true)
  })

  test('is running after a cancel of a pause, which a later run does not inherit', () => {
    const waits = [message, started, call('c1'), asked('c1'), paused('c1')]
    const cancel = { type: 'input.cancel', run_id: 'r3' }
    expect(isBusy(fold(...waits, cancel))).toBe(true)
    expect(fold(cancel, message, started).isCancelled).toBe(false)
  })
})

describe('pending items', () => {
  test('are approvals, then client tools, each in the order asked', () => {
    const facts = fold(message, started, call('c1'), call('c2'), asked('c2'), approval)
    expect(pendingOf(facts).map(({ kind, id }) => [kind, id])).toEqual([
      ['approval', 'a1'],
      ['client_tool', 'c2'],
    ])
  })

  test('of a run are closed by its end, those of a background agent stay', () => {
    const agent = { type: 'agent.started', agent_run_id: 'g', parent_call_id: 'c0', background: true }
    const end = { type: 'run.completed', run_id: 'r1' }
    const own = { ...approval, agent_run_id: 'g', approval_id: 'a2' }
    const facts = fold(message, started, agent, call('c1'), asked('c1'), approval, own, end)
    expect(pendingOf(facts).map(({ id }) => id)).toEqual(['a2'])
    expect(facts.ended.calls.map(({ call_id }) => call_id)).toEqual(['c1'])
    const finished = { type: 'agent.finished', agent_run_id: 'g' }
    expect(pendingOf(advance(facts, { seq: 99, epoch: 1, ev: finished as unknown as SessionEvent }))).toEqual(
      [],
    )
  })
})

test('remembers the latest 512 ended calls, without their arguments, and says that it dropped others', () => {
  const ids = Array.from({ length: 513 }, (_, n) => `c${n}`)
  const ended = ids.flatMap(id => [call(id), asked(id), { type: 'tool.completed', call_id: id }])
  const facts = fold(...ended)
  expect(facts.calls).toEqual([])
  expect(facts.ended.calls).toHaveLength(512)
  expect(facts.ended.isTruncated).toBe(true)
  expect(JSON.stringify(facts)).not.toContain('input_text')
})

test('takes the first answer of two', () => {
  const answer = {
    type: 'input.approval',
    run_id: 'r2',
    approval_id: 'a1',
    call_id: 'c1',
    decision: 'approved',
  }
  const facts = fold(message, started, call('c1'), approval, answer, answer)
  expect(facts.approvals[0]?.answeredAt).toBe(5)
})

import { createSelector, type Follow, type Rec } from '@toolwire/core'
import { describe, expect, it } from 'vitest'
import { FLOWS } from './flows.ts'
import { CLIENT_TOOL, clientItem, LogBuilder } from './log-builder.ts'

const ONE = '{"value":1}'

/** Two calls wait; the second answer arrives while the run that processed the first is about to pause again. */
const crossed = new LogBuilder()
  .message('both')
  .turn()
  .call('call_1', CLIENT_TOOL, ONE)
  .call('call_2', CLIENT_TOOL, ONE)
  .turnEnd(true)
  .ask('call_1', ONE)
  .ask('call_2', ONE)
  .pause('client_tool_execution', clientItem('call_1', ONE), clientItem('call_2', ONE))
  .output('call_1', '1')
  .resume('run_2', 'run_1')
  .done('call_1', '1')
  .output('call_2', '2')
  .pause('client_tool_execution', clientItem('call_2', ONE))
  .resume('run_3', 'run_1')
  .done('call_2', '2')
  .turn()
  .text('Both.')
  .turnEnd(false)
  .complete().records

/** Where an answer is complete for the first time. */
function endOf(log: readonly Rec[], follow: Follow): string | undefined {
  const step = createSelector(follow)
  return log.find(rec => {
    const { shown, last } = step(rec)
    return shown && last && rec.ev.type.startsWith('run.')
  })?.ev.type
}
const seqOf = (log: readonly Rec[], call_id: string): number =>
  log.find(({ ev }) => ev.type === 'input.tool_output' && ev.call_id === call_id)?.seq ?? 0

describe('following an answer', () => {
  it('ends at the pause that waits for the rest', () => {
    const log = FLOWS['mixed-and-partial'] ?? []
    expect(endOf(log, { kind: 'answer', seq: seqOf(log, 'call_3') })).toBe('run.paused')
    expect(endOf(log, { kind: 'answer', seq: seqOf(log, 'call_1') })).toBe('run.completed')
  })

  it('does not end at a pause whose items are answered already', () => {
    for (const call of ['call_1', 'call_2'])
      expect(endOf(crossed, { kind: 'answer', seq: seqOf(crossed, call) })).toBe('run.completed')
  })

  it('leaves a session busy while an answer waits behind such a pause', () => {
    const step = createSelector({ kind: 'session' })
    const ends = crossed.flatMap(rec => {
      const { last } = step(rec)
      return last && rec.ev.type === 'run.paused' ? [rec.seq] : []
    })
    expect(ends).toHaveLength(1)
  })
})

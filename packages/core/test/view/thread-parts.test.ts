/** What the threads and cards of every framework are made from. */
import { describe, expect, it } from 'vitest'
import { applyRecords, createTranslate, emptyView, en } from '../../src/view/index.ts'
import {
  callText,
  drawsAllRows,
  elapsedLabel,
  foldsAbove,
  NewPending,
  pinnedRows,
  progressLabel,
  retryContent,
  rowOfCall,
  sizeLabel,
  threadRows,
} from '../../src/view/parts/index.ts'
import { Script } from './script.ts'

const t = createTranslate(en)
const viewOf = (script: Script) => applyRecords(emptyView(), script.records)
const callOf = (script: Script, id: string) => {
  const call = viewOf(script).calls.get(id)
  if (!call) throw new Error(`no call ${id}`)
  return call
}
const asks = (call_id: string) => ({ approval_id: `ap-${call_id}`, call_id, name: 'Write', allow_edit: true })

describe('the rows of a thread', () => {
  const script = () =>
    new Script().created().ask('one').turn('m1').text('m1', 0, ['Hi']).endTurn('m1').completeRun()

  it('are the messages and the end of every exchange, then the queued messages', () => {
    const view = viewOf(script().ask('two', 'r2').message('later', 'r3'))
    expect(threadRows(view, []).map(({ key, turn }) => [key, turn])).toEqual([
      ['message:in_r1', 'r1'],
      ['message:m1', 'r1'],
      ['end:r1', 'r1'],
      ['message:in_r2', 'r2'],
      ['end:r2', 'r2'],
      ['message:in_r3', undefined],
    ])
  })

  it('are the same list while nothing is added, and the same rows where one is', () => {
    const log = script().ask('two', 'r2').turn('m2')
    const first = threadRows(viewOf(log), [])
    const block = { message_id: 'm2', block_id: 'b', index: 0, run_index: 0, kind: 'text' } as const
    log.add('block.started', block).add('block.delta', { block_id: 'b', offset: 0, text: 'more' })
    expect(threadRows(viewOf(log), first)).toBe(first)
    const grown = threadRows(viewOf(log.endTurn('m2').turn('m3', 1)), first)
    expect(grown).toHaveLength(first.length + 1)
    expect(grown[3]).toBe(first[3])
    expect(threadRows(emptyView(), grown)).toEqual([])
  })

  it('are all drawn up to sixty, and longer only where that would take an answer away that is being written', () => {
    const calm = { flat: true, held: false }
    expect([60, 61].map(rows => drawsAllRows(rows, calm))).toEqual([true, false])
    const held = { flat: true, held: true }
    expect([61, 120, 121].map(rows => drawsAllRows(rows, held))).toEqual([true, true, false])
    expect(drawsAllRows(61, { flat: false, held: true })).toBe(false)
  })

  it('stay where something waits and where the focus is', () => {
    const log = script().ask('two', 'r2').turn('m2').call('m2', 0, 'c1', { name: 'Write' })
    const view = viewOf(log.add('tool.approval_requested', asks('c1')))
    const rows = threadRows(view, [])
    expect(pinnedRows(view, rows, undefined)).toEqual([4])
    expect(pinnedRows(view, rows, 'message:in_r1')).toEqual([0, 4])
    expect(pinnedRows(view, rows, 'message:gone')).toEqual([4])
  })
})

describe('the way to a card', () => {
  it('leads to the row of the call whose agent made it, and opens that card', () => {
    const log = new Script().created().ask('go').turn('m1').call('m1', 0, 'c1', { name: 'Agent' })
    log.add('tool.started', { call_id: 'c1', attempt: 1 })
    log.add('agent.started', { agent_run_id: 'a1', name: 'helper', parent_call_id: 'c1', prompt: 'do it' })
    log.at = { ...log.at, agent_run_id: 'a1' }
    const view = viewOf(log.turn('m2').call('m2', 0, 'c2'))
    const rows = threadRows(view, [])
    expect(rows[rowOfCall(view, rows, 'c2')]?.key).toBe('message:m1')
    expect(foldsAbove(view, 'c2')).toEqual(['c1'])
    expect(foldsAbove(view, 'c1')).toEqual([])
    expect(rowOfCall(view, rows, 'gone')).toBe(-1)
    expect(foldsAbove(view, 'gone')).toEqual([])
  })

  it('opens the group that a finished look-up is folded into', () => {
    const log = new Script().created().ask('go').turn('m1')
    for (const [n, id] of ['c1', 'c2'].entries())
      log.call('m1', n, id, { name: 'Read' }).add('tool.started', { call_id: id, attempt: 1 }).done(id, 'x')
    expect(foldsAbove(viewOf(log), 'c2')).toEqual(['group:c1'])
  })
})

describe('the line of a call', () => {
  const running = () =>
    new Script()
      .created()
      .ask('go')
      .turn('m1')
      .call('m1', 0, 'c1')
      .add('tool.started', { call_id: 'c1', attempt: 1 })

  it('shows its progress: lines, share, and the tool’s message', () => {
    const log = running()
    expect(progressLabel(callOf(log, 'c1'), t)).toBe('')
    log.add('tool.progress', { call_id: 'c1', output_delta: 'a\nb\n' })
    expect(progressLabel(callOf(log, 'c1'), t)).toBe(' · 2 lines')
    log.add('tool.progress', { call_id: 'c1', progress: 3, total: 4, message: 'copying' })
    expect(progressLabel(callOf(log, 'c1'), t)).toBe(' · 2 lines · 75% · copying')
    log.add('tool.progress', { call_id: 'c1', progress: 9, total: 4 })
    expect(progressLabel(callOf(log, 'c1'), t)).toContain('100%')
    expect(progressLabel(callOf(log.done('c1', 'x'), 'c1'), t)).toBe('')
  })

  it('has a clock while it runs and after it, and shows a wait once it is one', () => {
    const log = running()
    expect(elapsedLabel(callOf(log, 'c1'), 12_000, t)).toBe('12s')
    const waits = new Script().created().ask('go').turn('m1').call('m1', 0, 'c1', { name: 'Write' })
    expect(elapsedLabel(callOf(waits, 'c1'), 5000, t)).toBe('')
    const asked = callOf(waits.add('tool.approval_requested', asks('c1')), 'c1')
    expect([999, 2000].map(ms => elapsedLabel(asked, ms, t))).toEqual(['', 'waiting 2.0s'])
  })

  it('shows the size of arguments only if they are long', () => {
    const call = callOf(running(), 'c1')
    const sizes = [200, 2000].map(size => sizeLabel({ ...call, input_text: 'x'.repeat(size) }, t))
    expect(sizes).toEqual(['', '2 kB'])
  })

  it('is copied as its output, or as its arguments without one', () => {
    const log = running()
    expect(callText(callOf(log, 'c1'))).toBe(callOf(log, 'c1').input_text)
    expect(callText(callOf(log.add('tool.progress', { call_id: 'c1', output_delta: 'so far' }), 'c1'))).toBe(
      'so far',
    )
    expect(callText(callOf(log.done('c1', 'all of it'), 'c1'))).toBe('all of it')
  })
})

it('a new pending item is announced once', () => {
  const told = new NewPending()
  const log = new Script().created().ask('go').turn('m1').call('m1', 0, 'c1', { name: 'Write' })
  expect(told.of(viewOf(log))).toEqual([])
  log.add('tool.approval_requested', asks('c1'))
  expect(told.of(viewOf(log)).map(item => item.call)).toEqual(['c1'])
  expect(told.of(viewOf(log))).toEqual([])
  log.call('m1', 1, 'c2', { name: 'Write' }).add('tool.approval_requested', asks('c2'))
  expect(told.of(viewOf(log)).map(item => item.call)).toEqual(['c2'])
})

it('what was asked last is asked again; without a question there is nothing to ask', () => {
  expect(() => retryContent(emptyView())).toThrow('Nothing was asked')
  const log = new Script().created().ask('one').turn('m1').endTurn('m1').completeRun().ask('two', 'r2')
  expect(retryContent(viewOf(log))).toEqual([{ type: 'text', text: 'two' }])
})

import { toEnvelope } from '@toolwire/core'
import { describe, expect, it } from 'vitest'
import {
  announce,
  applyRecords,
  blocksOf,
  createTranslate,
  elapsedMs,
  emptyView,
  groupBlocks,
  messagesOf,
  readEnvelope,
  titleOf,
} from '../../src/view/index.ts'
import { Script, START } from './script.ts'

const t = createTranslate()
const fold = (script: Script) => applyRecords(emptyView(), script.records)
const start = () => new Script().created().ask('Find it\nplease').turn('m')

describe('selectors', () => {
  it('makes one group of successful look-ups in a row', () => {
    const script = start()
      .call('m', 0, 'a', { name: 'Grep' })
      .call('m', 1, 'b', { name: 'Read' })
      .call('m', 2, 'c')
      .call('m', 3, 'd', { name: 'Read' })
    for (const id of ['a', 'b', 'c', 'd']) script.done(id)
    const view = fold(script)
    const message = messagesOf(view, view.turns[0] ?? { messages: [] }).at(-1)
    const groups = message ? groupBlocks(view, blocksOf(view, message)) : []
    expect(groups.map(g => (g.type === 'calls' ? g.calls.map(c => c.id) : g.block.call))).toEqual([
      ['a', 'b'],
      'c',
      'd',
    ])
  })

  it('gives running time from the start and waiting time from the question', () => {
    const script = start().call('m', 0, 'a')
    const asked = script.records.length + 1
    script.add('tool.approval_requested', { approval_id: 'p', call_id: 'a', name: 'Bash', allow_edit: false })
    const waiting = fold(script).calls.get('a')
    expect(waiting && elapsedMs(waiting, START + asked * 1000 + 700)).toBe(700)
    script.done('a')
    const done = fold(script).calls.get('a')
    expect(done && elapsedMs(done, START + 1e9)).toBe(250)
  })

  it('names a session by its title or its first question', () => {
    const script = start()
    expect(titleOf(fold(script))).toBe('Find it')
    expect(titleOf(fold(script.add('session.updated', { title: 'Mine' })))).toBe('Mine')
  })

  it('reads what the canonical wire writes', () => {
    for (const rec of start().records) {
      const envelope = JSON.parse(JSON.stringify(toEnvelope('s', { ...rec, epoch: 1 })))
      expect(readEnvelope(envelope)).toEqual({ seq: rec.seq, ev: { ...rec.ev, v: 1 } })
    }
    for (const odd of [null, 3, 'x', {}, { seq: '1', type: 'note' }])
      expect(readEnvelope(odd)).toBeUndefined()
  })
})

describe('announce', () => {
  it('speaks at boundaries only', () => {
    const script = start().call('m', 0, 'a')
    const said: string[] = []
    let view = emptyView()
    script
      .add('tool.started', { call_id: 'a', attempt: 1 })
      .add('tool.progress', { call_id: 'a', output_delta: 'x' })
      .done('a')
      .endTurn('m')
      .completeRun()
    for (const rec of script.records) {
      const next = applyRecords(view, [rec])
      said.push(...announce(view, next, t).map(a => a.text))
      view = next
    }
    expect(said).toEqual(['Running Bash', 'Bash finished in 250ms', 'Response complete'])
  })

  it('interrupts for an approval', () => {
    const before = fold(start().call('m', 0, 'a'))
    const after = fold(
      start()
        .call('m', 0, 'a')
        .add('tool.approval_requested', { approval_id: 'p', call_id: 'a', name: 'Bash', allow_edit: true }),
    )
    expect(announce(before, after, t)).toEqual([{ text: 'Bash needs your approval', assertive: true }])
  })
})

/** A call of Think is thinking, not a card; what waits or failed is a card. */
import { announce, applyRecords, createTranslate, emptyView, en } from '@toolwire/core/view'
import { expect, test } from 'vitest'
import { Script } from '../../core/test/view/script.ts'
import { drawReact, drawVue } from './draw-session.ts'

const options = { locale: 'en', density: 'everything' } as const
const think = () =>
  new Script()
    .created()
    .ask('go')
    .turn('m1')
    .call('m1', 0, 't1', { name: 'Think', input: { thought: 'First <b>\u202ethis' } })

async function draw(script: Script) {
  const view = applyRecords(emptyView(), script.records)
  return [drawReact(view, options), await drawVue(view, options)]
}

test('a thought is drawn as thinking, folded, with its text and the id that links name', async () => {
  const ended = think()
    .add('tool.started', { call_id: 't1', attempt: 1 })
    .done('t1', 'Your thought has been logged.')
  for (const [script, state] of [
    [think(), 'streaming'],
    [ended, 'complete'],
  ] as const)
    for (const html of await draw(script)) {
      expect(html).not.toContain('data-tw-part="tool-call"')
      const [found] = /<details[^>]*data-tw-part="thinking"[^>]*>/.exec(html) ?? []
      expect(found).toContain('id="call-t1"')
      expect(found).toContain(`data-state="${state}"`)
      expect(found).not.toContain(' open')
      expect(html).toContain('First &lt;b&gt;⟨U+202E⟩this')
      expect(html).not.toContain('has been logged')
    }
})

test('a thought that is asked about or failed is a card, so that it can be decided and read', async () => {
  const asked = think().add('tool.approval_requested', {
    approval_id: 'a1',
    call_id: 't1',
    name: 'Think',
    allow_edit: false,
  })
  for (const script of [asked, think().failed('t1', 'permission', 'denied')])
    for (const html of await draw(script)) expect(html).toContain('data-tw-part="tool-call"')
})

test('thoughts are not announced as calls', () => {
  const script = think()
  const before = applyRecords(emptyView(), script.records)
  const running = applyRecords(before, script.add('tool.started', { call_id: 't1', attempt: 1 }).records)
  const after = applyRecords(running, script.done('t1', 'logged').records)
  const t = createTranslate(en)
  expect([...announce(before, running, t), ...announce(running, after, t)]).toEqual([])
})

/** What a session is when it is saved: thinking, calls and answers. */
import { applyRecords, emptyView } from '@toolwire/core/view'
import { expect, test } from 'vitest'
import { nestedTexts } from '../../../packages/core/test/view/nested-text.ts'
import { Script } from '../../../packages/core/test/view/script.ts'
import { sessionMarkdown } from '../src/export/session-markdown.ts'
import { sessionPage } from '../src/export/session-page.ts'

test('a thought is thinking in the page and in the Markdown, not a call', () => {
  const input = { thought: 'First <b>\nthen' }
  const script = new Script().created().ask('go').turn('m1').call('m1', 0, 't1', { name: 'Think', input })
  script.add('tool.started', { call_id: 't1', attempt: 1 }).done('t1', 'logged').text('m1', 1, ['Done.'])
  const view = applyRecords(emptyView(), script.records)
  const page = sessionPage(view)
  expect(page).toContain('<summary>Thinking</summary><p>First &lt;b&gt;\nthen</p>')
  expect(page).not.toContain('<b>Think</b>')
  expect(sessionMarkdown(view)).toContain('*Thinking*\n\n> First <b>\n> then\n\nDone.')
})

test('answers that nest without end are in the page as text', () => {
  for (const text of Object.values(nestedTexts(1_000_000))) {
    const script = new Script().created().ask('go').turn('m1').text('m1', 0, [text])
    expect(sessionPage(applyRecords(emptyView(), script.records)).length).toBeGreaterThan(900_000)
  }
})

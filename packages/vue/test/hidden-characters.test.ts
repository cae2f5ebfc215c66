/** No hidden or bidirectional character of a log reaches what people see or hear of a page, in either package. */
import '../../react/test/dom.ts'
import { applyRecords, emptyView, type ViewRecord } from '@toolwire/core/view'
import * as inReact from '@toolwire/react'
import { JSDOM } from 'jsdom'
import { createElement } from 'react'
import { describe, expect, test } from 'vitest'
import { h } from 'vue'
import { markControls } from '../../core/src/view/parts/index.ts'
import { Script } from '../../core/test/view/script.ts'
import { driveSession, noCommands } from '../../react/test/driven-session.ts'
import * as inVue from '../src/index.ts'
import { bothPages } from './both-pages.ts'
import { drawReact, drawVue } from './draw-session.ts'
import { fixtures } from './fixtures.ts'

/** An override, a space without width, a terminal sequence and a tag. */
const HIDDEN = '\u202e\u200b\u001b[31m\u{e0041}'

/** Values that the fold reads as such; all others are text that a model, a tool or a person wrote. */
const FIXED =
  /^(?:type|ts|role|kind|decision|tool_type|executor|layer|finish|outcome|trigger|status|media_type|data|src|src_type|code|approval_id|.*_id)$/

/** The log with hidden characters in every text, in the middle of it; in names of tools too when that is wanted. */
function poisoned(records: readonly ViewRecord[], names: boolean): readonly ViewRecord[] {
  const poison = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') {
      if (FIXED.test(key) || (key === 'name' && !names) || key === 'input_text') return value
      const half = Math.ceil(value.length / 2)
      return value.slice(0, half) + HIDDEN + value.slice(half)
    }
    if (Array.isArray(value)) return value.map(item => poison(item, key))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [
        key === 'input' && names ? name + HIDDEN : name,
        poison(item, name),
      ]),
    )
  }
  return records.map(({ seq, ev }) => {
    const next = poison(ev, '') as { input?: unknown; input_text?: string }
    if (next.input !== undefined) next.input_text = JSON.stringify(next.input)
    return { seq, ev: next } as unknown as ViewRecord
  })
}

/** Every text and every attribute that is seen or heard. What can be edited is shown as it is sent. */
function seenIn(html: string): readonly string[] {
  const { document } = new JSDOM(`<body>${html}</body>`).window
  for (const field of document.querySelectorAll('textarea')) field.remove()
  const names = ['title', 'alt', 'placeholder', 'aria-label', 'aria-description', 'label']
  const attributes = [...document.querySelectorAll('*')].flatMap(element =>
    names.flatMap(name => element.getAttribute(name) ?? []),
  )
  return [document.body.textContent ?? '', ...attributes]
}

describe.each(Object.entries(fixtures()))('%s', (_, records) => {
  test.each([false, true])('draws marks in place of hidden characters (also in names: %s)', async names => {
    const view = applyRecords(emptyView(), poisoned(records, names))
    const options = { locale: 'en', density: 'everything' } as const
    for (const html of [drawReact(view, options), await drawVue(view, options)]) {
      const seen = seenIn(html)
      expect(seen.filter(text => markControls(text) !== text)).toEqual([])
      expect(seen.join('')).toContain('⟨U+202E⟩⟨U+200B⟩')
    }
  })
})

test('a field that can be edited shows the hidden characters of its text below it', async () => {
  const script = new Script().created().ask('go').turn('m1')
  script.call('m1', 0, 'c1', { input: { command: `ls ${HIDDEN}` } }).add('tool.approval_requested', {
    approval_id: 'a1',
    call_id: 'c1',
    name: 'Bash',
    allow_edit: true,
    details: { suggested_rule: `Bash(ls ${HIDDEN})` },
  })
  const given = { session: driveSession(script).source, commands: noCommands, clock: () => 0 }
  const pages = await bothPages({
    react: () => createElement(inReact.SessionProvider, given, createElement(inReact.Conversation)),
    vue: () => h(inVue.SessionProvider, given, () => h(inVue.Conversation)),
  })
  for (const page of pages) {
    const marks = () => page.texts('[data-tw-part="field-marks"]')
    await page.click('[data-tw-part="edit"]')
    expect(marks()).toEqual([`Hidden characters: ${markControls(`ls ${HIDDEN}`)}`])
    await page.click('[data-tw-part="as-json"]')
    expect(marks()[0]).toContain('⟨U+202E⟩')
    await page.click('[data-tw-part="back"]')
    await page.click('[data-tw-part="allow-rule"]')
    expect(marks()).toEqual([`Hidden characters: ${markControls(`Bash(ls ${HIDDEN})`)}`])
    await page.type('[data-tw-part="rule-picker"] textarea', 'Bash(ls)')
    expect(marks()).toEqual([])
  }
})

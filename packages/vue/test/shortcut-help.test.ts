/** The list of keys in both packages: when it opens, when it does not, and its content. */
import '../../react/test/dom.ts'
import { STRINGS } from '@toolwire/core/strings'
import * as inReact from '@toolwire/react'
import { createElement } from 'react'
import { beforeEach, expect, test } from 'vitest'
import { h } from 'vue'
import { Script } from '../../core/test/view/script.ts'
import { driveSession, noCommands } from '../../react/test/driven-session.ts'
import * as inVue from '../src/index.ts'
import { bothPages, type OnePage, samePage } from './both-pages.ts'

beforeEach(() => {
  // What a page without a browser lacks.
  Object.assign(window.HTMLDialogElement.prototype, {
    showModal(this: HTMLDialogElement) {
      this.setAttribute('open', '')
    },
    close(this: HTMLDialogElement) {
      this.removeAttribute('open')
    },
  })
})

const keys = [{ keys: 'Ctrl K', words: 'Search everything' }]
const help = (locale: keyof typeof STRINGS = 'en', only?: OnePage['name']) => {
  const given = {
    session: driveSession(new Script().created()).source,
    commands: noCommands,
    strings: STRINGS[locale],
  }
  const props = { shortcuts: keys }
  const inReactToo = only === 'vue' ? null : createElement(inReact.ShortcutHelp, props)
  return bothPages({
    react: () => createElement(inReact.SessionProvider, given, createElement('input'), inReactToo),
    vue: () =>
      h(inVue.SessionProvider, { ...given }, () => [
        h('input'),
        only === 'react' ? null : h(inVue.ShortcutHelp, props),
      ]),
  })
}
const isOpen = (page: OnePage) =>
  page.find<HTMLDialogElement>('[data-tw-part="shortcut-help"]').hasAttribute('open')
const press = (page: OnePage, on: EventTarget, init: KeyboardEventInit) =>
  page.act(() =>
    on.dispatchEvent(new KeyboardEvent('keydown', { key: '?', bubbles: true, cancelable: true, ...init })),
  )

test.each(['react', 'vue'] as const)(
  'a question mark opens that of %s and its button closes it',
  async name => {
    const page = (await help('en', name)).find(one => one.name === name)
    if (!page) throw new Error('no page')
    expect(isOpen(page)).toBe(false)
    await press(page, document.body, {})
    expect(isOpen(page)).toBe(true)
    await page.click('[data-tw-part="close"]')
    expect(isOpen(page)).toBe(false)
  },
)

test('a typed question mark, or one with another meaning, does not', async () => {
  const pages = await help()
  for (const page of pages) {
    await press(page, page.find('input'), {})
    await press(page, document.body, { ctrlKey: true })
    await press(page, document.body, { isComposing: true })
    await press(page, document.body, { key: '/' })
  }
  expect(pages.map(isOpen)).toEqual([false, false])
})

test("it lists the keys of the parts, then those of the page, in the page's language", async () => {
  const english = samePage(await help()).join('\n')
  const order = ['"Enter"', '"Send"', '"Shift Enter"', '"New line"', '"Ctrl K"', '"Search everything"']
  const places = order.map(words => english.indexOf(words))
  expect(places).toEqual([...places].sort((a, b) => a - b))
  expect(places).not.toContain(-1)
  expect(samePage(await help('zh-Hans')).join('\n')).toContain('"换行"')
})

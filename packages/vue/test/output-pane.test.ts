/** The pane of a long text, opened, searched and closed in both packages: the same page at every step. */

import { afterEach, expect, test, vi } from 'vitest'
import { Script } from '../../core/test/view/script.ts'
import { driveSession, noCommands } from '../../react/test/driven-session.ts'
import type { FormMounts } from '../../react/test/form-cases.ts'
import { mounts as inReact } from '../../react/test/mounted-page.ts'
import { mounts as inVue } from './mounted-page.ts'
import { normalised } from './normalised.ts'

const PACKAGES: Readonly<Record<string, FormMounts>> = { react: inReact, vue: inVue }

const unmounts: (() => void)[] = []
afterEach(() => {
  for (const unmount of unmounts.splice(0)) unmount()
  document.body.replaceChildren()
})

/** Lines enough for two pieces, a word in both, and one thing that must not become HTML. */
const LINES = Array.from({ length: 450 }, (_, n) => (n % 200 === 7 ? `line ${n}: <b>Word</b>` : `line ${n}`))
const ended = (output: string) =>
  new Script()
    .created()
    .ask('hi')
    .turn('m1')
    .call('m1', 0, 'c1', { name: 'Bash', input: { command: 'ls' } })
    .add('tool.started', { call_id: 'c1', attempt: 1 })
    .done('c1', output)

async function openPane(mounts: FormMounts, output: string) {
  const place = document.createElement('div')
  document.body.append(place)
  const session = driveSession(ended(output)).source
  unmounts.push(await mounts.conversation({ session, commands: noCommands }, place))
  const scrolled: (string | null)[] = []
  // What a page without a browser lacks.
  Object.assign(window.HTMLDialogElement.prototype, {
    showModal(this: HTMLDialogElement) {
      this.setAttribute('open', '')
    },
    close(this: HTMLDialogElement) {
      this.removeAttribute('open')
      this.dispatchEvent(new Event('close'))
    },
  })
  window.Element.prototype.scrollIntoView = function () {
    scrolled.push(
      this.closest('pre')
        ?.textContent?.split('\n')
        .find(line => line.includes(this.textContent ?? '')) ?? null,
    )
  }
  const find = <T extends HTMLElement>(selector: string): T => {
    const found = place.querySelector<T>(selector)
    if (!found) throw new Error(`no ${selector}`)
    return found
  }
  const click = (part: string) => mounts.act(() => find(`dialog[open] [data-tw-part="${part}"]`).click())
  await mounts.act(() => find('[data-tw-part="tool-header"]').click())
  await mounts.act(() => find('[data-tw-part="view-full"]').click())
  return {
    click,
    find,
    scrolled,
    dialog: () => find('dialog[open]'),
    async type(text: string) {
      const input = find<HTMLInputElement>('[data-tw-part="find"] > input')
      await mounts.act(() => {
        Object.getOwnPropertyDescriptor(window.HTMLInputElement.prototype, 'value')?.set?.call(input, text)
        input.dispatchEvent(new Event('input', { bubbles: true }))
      })
    },
    press: (init: KeyboardEventInit) =>
      mounts.act(() => {
        const event = new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init })
        find('[data-tw-part="find"] > input').dispatchEvent(event)
      }),
    marks: () =>
      [...place.querySelectorAll<HTMLElement>('[data-tw-part="found"]')].map(
        mark => `${mark.textContent}${mark.dataset['current'] === 'true' ? '!' : ''}`,
      ),
    count: () => find('[data-tw-part="find-count"]').textContent,
  }
}

test.each(Object.entries(PACKAGES))(
  '%s finds in the pane, goes from match to match and marks them',
  async (_, mounts) => {
    const pane = await openPane(mounts, LINES.join('\n'))
    await pane.type('word')
    expect(pane.marks()).toEqual(['Word!', 'Word', 'Word'])
    expect(pane.count()).toBe('1/3')
    await pane.click('find-next')
    expect([pane.count(), pane.marks()]).toEqual(['2/3', ['Word', 'Word!', 'Word']])
    await pane.press({ key: 'Enter' })
    expect(pane.count()).toBe('3/3')
    await pane.press({ key: 'Enter' })
    expect(pane.count()).toBe('1/3')
    await pane.press({ key: 'Enter', shiftKey: true })
    expect(pane.count()).toBe('3/3')
    await pane.click('find-previous')
    expect(pane.count()).toBe('2/3')
    // The words that an input method is still choosing move nothing.
    await pane.press({ key: 'Enter', isComposing: true })
    expect(pane.count()).toBe('2/3')
    expect(pane.scrolled).toHaveLength(6)
    await pane.type('no such words')
    expect([pane.count(), pane.marks()]).toEqual(['0/0', []])
    expect(pane.find<HTMLButtonElement>('[data-tw-part="find-next"]').disabled).toBe(true)
    expect(pane.dialog().querySelector('b')).toBeNull()
  },
)

test.each(Object.entries(PACKAGES))(
  '%s wraps lines by default, and drops the search with the pane',
  async (_, mounts) => {
    const pane = await openPane(mounts, LINES.join('\n'))
    const wrap = () => pane.find('[data-tw-part="output-pieces"]').dataset['wrap']
    expect(wrap()).toBe('true')
    await pane.click('wrap')
    expect([wrap(), pane.find('[data-tw-part="wrap"]').getAttribute('aria-pressed')]).toEqual([
      'false',
      'false',
    ])
    await pane.type('word')
    await pane.click('close')
    expect(pane.marks()).toEqual([])
    await mounts.act(() => pane.find('[data-tw-part="view-full"]').click())
    expect(pane.count()).toBe('')
  },
)

test('both packages draw the same pane, before and after a search, plain and coloured', async () => {
  for (const text of [
    LINES.join('\n'),
    `\u001b[31m${LINES.join('\n')}\u001b[38;2;1;2;3m${'w'.repeat(3000)}word`,
  ]) {
    const react = await openPane(inReact, text)
    const vue = await openPane(inVue, text)
    const same = () => {
      const lines = normalised(vue.dialog().outerHTML)
      expect(lines).toEqual(normalised(react.dialog().outerHTML))
      return lines
    }
    same()
    for (const pane of [react, vue]) {
      await pane.type('word')
      await pane.click('find-next')
      await pane.click('wrap')
    }
    expect(same().join('\n')).toContain('<mark data-')
  }
})

test.each(Object.entries(PACKAGES))(
  '%s searches a megabyte in pieces and draws few marks',
  async (_, mounts) => {
    const pause = vi.fn(() => Promise.resolve())
    vi.stubGlobal('scheduler', { yield: pause })
    const pane = await openPane(mounts, `${'x'.repeat(99)}\n`.repeat(10_000))
    await pane.type('xx')
    await expect.poll(() => pane.count()).toBe('1/490000')
    expect(pause.mock.calls.length).toBeGreaterThan(14)
    expect(pane.marks().length).toBeLessThan(1000)
    vi.unstubAllGlobals()
  },
)

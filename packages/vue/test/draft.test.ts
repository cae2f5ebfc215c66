/** Text that another component puts into the composer, in both packages. */
import '../../react/test/dom.ts'
import * as inReact from '@toolwire/react'
import { act, createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { afterEach, expect, test } from 'vitest'
import { createApp, h, nextTick, shallowRef } from 'vue'
import * as inVue from '../src/index.ts'

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })

interface Box {
  readonly give: (draft: { readonly text: string } | undefined) => Promise<void>
  readonly end: () => void
}
type Show = (place: HTMLElement, onSend: () => Promise<unknown>) => Promise<Box>

const given = { placeholder: 'Write', words: { send: 'Send' } }

const react: Show = async (place, onSend) => {
  const root = createRoot(place)
  const give: Box['give'] = async draft =>
    await act(async () => root.render(createElement(inReact.MessageBox, { ...given, onSend, draft })))
  await give(undefined)
  return { give, end: () => act(() => root.unmount()) }
}

const vue: Show = async (place, onSend) => {
  const now = shallowRef<{ readonly text: string }>()
  const app = createApp(() => h(inVue.MessageBox, { ...given, onSend, draft: now.value }))
  app.mount(place)
  const give: Box['give'] = async draft => {
    now.value = draft
    await nextTick()
    await nextTick()
  }
  return { give, end: () => app.unmount() }
}

let end = () => {}
afterEach(() => {
  end()
  document.body.replaceChildren()
})

test.each([
  ['react', react],
  ['vue', vue],
])('a draft goes below what was typed, once, and is not sent by itself: %s', async (_, show) => {
  const sent: unknown[] = []
  const place = document.body.appendChild(document.createElement('div'))
  const box = await show(place, async () => sent.push(1))
  end = box.end
  const value = () => place.querySelector('textarea')?.value
  const draft = { text: 'one' }
  await box.give(draft)
  expect(value()).toBe('one')
  expect(document.activeElement).toBe(place.querySelector('textarea'))
  await box.give(draft)
  expect(value()).toBe('one')
  await box.give({ text: 'one' })
  expect(value()).toBe('one\none')
  expect(sent).toEqual([])
})

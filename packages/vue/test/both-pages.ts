/** The same part on two pages without a browser, one drawn by React and one by Vue. */
import '../../react/test/dom.ts'
import type { Client } from '@toolwire/client'
import * as inReact from '@toolwire/react'
import { act, createElement, type ReactElement } from 'react'
import { createRoot } from 'react-dom/client'
import { afterEach, expect, vi } from 'vitest'
import { type Component, createApp, defineComponent, h, type VNode } from 'vue'
import * as inVue from '../src/index.ts'
import { normalised } from './normalised.ts'

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })

/** What a test shows: the same for both. */
export interface Shown {
  readonly react: () => ReactElement
  readonly vue: () => VNode
}

export interface OnePage {
  readonly name: 'react' | 'vue'
  readonly place: HTMLElement
  readonly find: <T extends HTMLElement>(selector: string) => T
  readonly texts: (selector: string) => readonly string[]
  /** Advances time until everything is drawn. */
  readonly settle: () => Promise<void>
  /** A change from outside, and time until it is drawn. */
  readonly act: (change: () => unknown) => Promise<void>
  readonly click: (selector: string, init?: MouseEventInit) => Promise<void>
  readonly type: (selector: string, text: string) => Promise<void>
}

const leave: (() => void)[] = []
afterEach(() => {
  for (const one of leave.splice(0)) one()
  document.body.replaceChildren()
  vi.useRealTimers()
})

/** Promises that are kept already, and timers up to the next drawing of a list. */
async function settle(): Promise<void> {
  await vi.advanceTimersByTimeAsync(150)
}

/** A change of either page: time advances for both. */
const actOn = (change: () => unknown): Promise<void> =>
  act(async () => {
    change()
    await settle()
  })

/** Time is stopped but for what the pages wait for. React first. */
export async function bothPages({ react, vue }: Shown): Promise<readonly [OnePage, OnePage]> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  const [first, second] = [pageOf('react'), pageOf('vue')]
  const root = createRoot(first.place)
  await actOn(() => root.render(react()))
  const app = createApp(defineComponent((() => vue) as () => () => VNode) as Component)
  await actOn(() => app.mount(second.place))
  leave.push(
    () => act(() => root.unmount()),
    () => app.unmount(),
  )
  return [first, second]
}

/** What is chosen in a list, and the text of a field, is a property in one and an attribute or a child in the other. */
const withoutValues = (html: string): string =>
  html
    .replaceAll(' selected=""', '')
    .replace(/<textarea[^>]*>[^<]*</g, field => field.replace(/ value="[^"]*"/, '').replace(/>[^<]*</, '><'))

/** The lines of both, which are the same. */
export function samePage([react, vue]: readonly [OnePage, OnePage]): readonly string[] {
  const linesOf = ({ place }: OnePage) => normalised(withoutValues(place.innerHTML))
  const lines = linesOf(vue)
  expect(lines).toEqual(linesOf(react))
  return lines
}

function pageOf(name: OnePage['name']): OnePage {
  const place = document.createElement('div')
  document.body.append(place)
  const find = <T extends HTMLElement>(selector: string): T => {
    const found = place.querySelector<T>(selector)
    if (!found) throw new Error(`${name} has no ${selector}`)
    return found
  }
  return {
    name,
    place,
    find,
    texts: selector => [...place.querySelectorAll(selector)].map(found => found.textContent ?? ''),
    settle: () => actOn(() => {}),
    act: actOn,
    click: (selector, init = {}) =>
      actOn(() => {
        const event = new MouseEvent('click', { bubbles: true, cancelable: true, ...init })
        find(selector).dispatchEvent(event)
      }),
    async type(selector, text) {
      const field = find<HTMLInputElement>(selector)
      await actOn(() => {
        Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')?.set?.call(field, text)
        for (const event of ['input', 'change']) field.dispatchEvent(new Event(event, { bubbles: true }))
      })
    },
  }
}

/** The list of sessions, with the same properties in both. */
export const sessionList = (props: inReact.SessionListProps): Shown => ({
  react: () => createElement(inReact.SessionList, props),
  vue: () => h(inVue.SessionList, { ...props }),
})

export type Given = Pick<inReact.SessionProviderProps, 'session' | 'commands'> & {
  readonly clock?: () => number
}

export const timelineOf = (given: Given, props: inReact.TimelineProps = {}): Shown => ({
  react: () => createElement(inReact.SessionProvider, given, createElement(inReact.Timeline, props)),
  vue: () => h(inVue.SessionProvider, { ...given }, () => h(inVue.Timeline, { ...props })),
})

export const inspectorOf = (given: Given): Shown => ({
  react: () => createElement(inReact.SessionProvider, given, createElement(inReact.EventInspector)),
  vue: () => h(inVue.SessionProvider, { ...given }, () => h(inVue.EventInspector)),
})

/** The inbox over what `useInbox` reads. */
export function inboxOf(client: Client, props: Omit<inReact.InboxProps, 'client' | 'inbox'>): Shown {
  const InReact = () => createElement(inReact.Inbox, { ...props, client, inbox: inReact.useInbox(client) })
  const InVue = defineComponent(() => {
    const inbox = inVue.useInbox(client)
    return () => h(inVue.Inbox, { ...(props as object), client, inbox })
  })
  return { react: () => createElement(InReact), vue: () => h(InVue) }
}

/** Calls a hook and its composable below a provider; what they return is kept for the test. */
export function readBy<R, V>(
  given: Given,
  hooks: { readonly react: () => R; readonly vue: () => V },
): Shown & { readonly last: { react?: R; vue?: V } } {
  const last: { react?: R; vue?: V } = {}
  const InReact = () => {
    last.react = hooks.react()
    return null
  }
  const InVue = defineComponent(() => {
    last.vue = hooks.vue()
    return () => null
  })
  return {
    last,
    react: () => createElement(inReact.SessionProvider, given, createElement(InReact)),
    vue: () => h(inVue.SessionProvider, { ...given }, () => h(InVue)),
  }
}

/** Puts the React parts on a page for tests that every framework has to pass. */
import './dom.ts'
import { act, createElement, type ReactElement } from 'react'
import { createRoot } from 'react-dom/client'
import { Conversation, SchemaForm, SessionProvider } from '../src/index.ts'
import type { FormMounts } from './form-cases.ts'

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })

async function mount(element: ReactElement, place: HTMLElement): Promise<() => void> {
  const root = createRoot(place)
  await act(async () => root.render(element))
  return () => act(() => root.unmount())
}

export const mounts: FormMounts = {
  form: (props, place) => mount(createElement(SchemaForm, props), place),
  conversation: (given, place) =>
    mount(createElement(SessionProvider, { ...given, clock: () => 0 }, createElement(Conversation)), place),
  act: change => act(async () => change()),
}

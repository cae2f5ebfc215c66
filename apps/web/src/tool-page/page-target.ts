/** The call whose page is open; set from its card, which may be gone by the time the page is used. */
import { useSyncExternalStore } from 'react'

const listeners = new Set<() => void>()
let target = ''

const keyOf = (session: string, call: string): string => `${session}/${call}`

export function openPage(session: string, call: string): void {
  set(keyOf(session, call))
}

export const closePage = (): void => set('')

/** The call of this session whose page is open; '' without one. */
export function useOpenPage(session: string): string {
  const now = useSyncExternalStore(subscribe, () => target)
  const prefix = keyOf(session, '')
  return now.startsWith(prefix) ? now.slice(prefix.length) : ''
}

function set(next: string): void {
  target = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

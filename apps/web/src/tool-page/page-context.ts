/** Context from pages for the model, by session, until the next message includes it. Lost on reload. */
import { useSyncExternalStore } from 'react'

export interface PageContext {
  /** Whose page it is. */
  readonly server: string
  readonly text: string
}

const kept = new Map<string, PageContext>()
const listeners = new Set<() => void>()

/** Takes the place of what was there; an empty text leaves nothing. */
export function keepContext(session: string, context: PageContext): void {
  if (context.text === '') kept.delete(session)
  else kept.set(session, context)
  tell()
}

/** Leaves a newer one in place. */
export function dropContext(session: string, context: PageContext): void {
  if (kept.get(session) === context) kept.delete(session)
  tell()
}

export const useContextOf = (session: string): PageContext | undefined =>
  useSyncExternalStore(subscribe, () => kept.get(session))

export const contextOf = (session: string): PageContext | undefined => kept.get(session)

function tell(): void {
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

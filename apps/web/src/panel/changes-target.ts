/** The part of the session whose changes the panel shows; set from a card or a turn. */
import { useSyncExternalStore } from 'react'

/** Everything when both are absent. */
export interface ChangesScope {
  readonly call?: string
  readonly turn?: string
}

const ALL: ChangesScope = {}
const listeners = new Set<() => void>()
let scope = ALL

export function setChangesScope(next: ChangesScope): void {
  scope = next.call === undefined && next.turn === undefined ? ALL : next
  for (const listener of listeners) listener()
}

export const useChangesScope = (): ChangesScope => useSyncExternalStore(subscribe, () => scope)

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

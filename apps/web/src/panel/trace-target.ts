/** The call that the trace should show; set from its card. */
import { useSyncExternalStore } from 'react'

const listeners = new Set<() => void>()
let target = ''

export function setTraceTarget(call: string): void {
  target = call
  for (const listener of listeners) listener()
}

/** '' before a request. */
export const useTraceTarget = (): string => useSyncExternalStore(subscribe, () => target)

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

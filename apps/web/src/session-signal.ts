/** Lists are read at intervals; what changes on the screen is a reason to read them soon. */
import { useEffect } from 'react'

const CHANGED = 'toolwire:session-changed'
/** Changes come in groups: a question, and the pause for it. */
const TOGETHER_MS = 150

let planned = false

/** Says that the state of a session has changed; once for several changes in a moment. */
export function tellSessionChanged(): void {
  if (planned) return
  planned = true
  setTimeout(() => {
    planned = false
    window.dispatchEvent(new Event(CHANGED))
  }, TOGETHER_MS)
}

/** Calls back after such changes, until the returned function is called. */
export function onSessionChanged(listener: () => void): () => void {
  window.addEventListener(CHANGED, listener)
  return () => window.removeEventListener(CHANGED, listener)
}

/** Calls back after such changes while the component is there. */
export function useSessionChanged(listener: () => void): void {
  useEffect(() => onSessionChanged(listener), [listener])
}

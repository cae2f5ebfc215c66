/** Lists are read at intervals; what changes on the screen is a reason to read them at once. */
import { useEffect } from 'react'

const CHANGED = 'toolwire:session-changed'

/** Says that the state of a session has changed. */
export const tellSessionChanged = (): void => void window.dispatchEvent(new Event(CHANGED))

/** Calls back after every such change. */
export function useSessionChanged(listener: () => void): void {
  useEffect(() => {
    window.addEventListener(CHANGED, listener)
    return () => window.removeEventListener(CHANGED, listener)
  }, [listener])
}

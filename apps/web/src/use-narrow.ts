/** Whether the screen is that of a phone; the same width at which the stylesheet changes over. */
import { useSyncExternalStore } from 'react'

const narrow = matchMedia('(max-width: 820px)')

function subscribe(listener: () => void): () => void {
  narrow.addEventListener('change', listener)
  return () => narrow.removeEventListener('change', listener)
}

export const useNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrow.matches)

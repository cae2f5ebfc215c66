/** True on a phone-sized screen; the same width as in the stylesheet. */
import { useSyncExternalStore } from 'react'

const narrow = matchMedia('(max-width: 820px)')

function subscribe(listener: () => void): () => void {
  narrow.addEventListener('change', listener)
  return () => narrow.removeEventListener('change', listener)
}

export const useNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrow.matches)

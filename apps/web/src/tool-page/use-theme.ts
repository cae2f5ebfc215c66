/** The colours that are in use: those that were chosen, or those of the system at this moment. */
import { useSyncExternalStore } from 'react'
import { usePreferences } from '../preferences.ts'

const dark = matchMedia('(prefers-color-scheme: dark)')

export function useTheme(): 'light' | 'dark' {
  const { theme } = usePreferences()
  const system = useSyncExternalStore(subscribe, () => dark.matches)
  if (theme !== 'system') return theme
  return system ? 'dark' : 'light'
}

function subscribe(listener: () => void): () => void {
  dark.addEventListener('change', listener)
  return () => dark.removeEventListener('change', listener)
}

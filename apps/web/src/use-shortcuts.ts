/** Keys that work everywhere. None of them fires while an input method is composing. */
import { isComposing } from '@toolwire/react'
import { useEffect } from 'react'
import { navigate, readPath, sessionPath } from './router.ts'

export function useShortcuts(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isComposing(event) || event.defaultPrevented) return
      const command = event.metaKey || event.ctrlKey
      if (!command) return
      const run = COMMANDS[(event.shiftKey ? 'shift+' : '') + event.key.toLowerCase()]
      if (!run) return
      event.preventDefault()
      run()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
}

const COMMANDS: Readonly<Record<string, () => void>> = {
  k: () => document.querySelector<HTMLInputElement>('#session-search')?.focus(),
  'shift+o': () => navigate('/'),
  '.': () => toggleTrace(),
}

/** Opens or closes the trace of the session on the screen. */
export function toggleTrace(): void {
  const route = readPath(location.pathname)
  if (route.screen === 'session') navigate(sessionPath(route.id, !route.trace), true)
}

/** Escape stops the run of the session on the screen, unless something nearer uses the key. */
import { isComposing, useSessionContext, useView } from '@toolwire/react'
import { useEffect } from 'react'

export function useStopOnEscape(): void {
  const { session, commands } = useSessionContext()
  const canStop = useView(view => view.phase === 'running' && !view.cancelling)
  useEffect(() => {
    if (!canStop) return
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || isComposing(event) || usesEscape(event.target))
        return
      event.preventDefault()
      void commands.cancel(session.id).catch(() => {})
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [session, commands, canStop])
}

/** Dialogs and menus close, search fields clear, open selects fold. */
function usesEscape(target: EventTarget | null): boolean {
  if (document.querySelector('dialog[open], [popover]:popover-open') !== null) return true
  if (!(target instanceof HTMLElement)) return false
  if (target instanceof HTMLInputElement) return target.type === 'search' && target.value !== ''
  return target.closest('select, details[open].menu') !== null
}

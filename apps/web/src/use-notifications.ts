/**
 * Notifies about new pending items while the page is hidden, if the user enabled it; a click leads to the call.
 * The page's lists are paused while hidden, so this polls by itself.
 */
import type { InboxItem } from '@toolwire/client'
import { markControls } from '@toolwire/core/parts'
import { useEffect, useRef } from 'react'
import { client } from './client.ts'
import { playChime } from './play-chime.ts'
import { usePreferences } from './preferences.ts'
import { setRevealTarget } from './reveal-target.ts'
import { navigate, sessionPath } from './router.ts'
import { useStrings } from './strings/use-strings.ts'

const EVERY_MS = 5000

/** True if this page may notify at all: browsers allow it on secure addresses only. */
export const canNotify = (): boolean => 'Notification' in window && window.isSecureContext

/** Asks the browser; false when a person or the browser refuses. */
export async function allowNotifications(): Promise<boolean> {
  return canNotify() && (await Notification.requestPermission()) === 'granted'
}

export function useNotifications(waiting: readonly InboxItem[]): void {
  const { t } = useStrings()
  const { notify, sound } = usePreferences()
  const known = useRef(new Set<string>())
  const tell = useRef((_: readonly InboxItem[]): void => {})
  tell.current = items => {
    // A sound needs no permission, so it works where browsers allow no notifications.
    if (sound) playChime()
    if (!notify || !canNotify() || Notification.permission !== 'granted') return
    for (const item of items) show(t(`announce.${item.kind}`, { name: item.name }), item)
  }
  useEffect(() => {
    for (const item of waiting) known.current.add(item.id)
  }, [waiting])
  useEffect(() => {
    if (!notify && !sound) return
    const look = async () => {
      if (!document.hidden) return
      const items = await client.pending(undefined, 'short').catch(() => [])
      // By now the page may be visible again.
      if (!document.hidden) return
      const fresh = items.filter(item => !known.current.has(item.id))
      for (const item of fresh) known.current.add(item.id)
      if (fresh.length > 0) tell.current(fresh)
    }
    const timer = setInterval(() => void look(), EVERY_MS)
    return () => clearInterval(timer)
  }, [notify, sound])
}

function show(text: string, item: InboxItem): void {
  const body = markControls(item.message ?? text)
  const note = new Notification('Toolwire', { body, tag: item.id, icon: '/icon.svg' })
  note.onclick = () => {
    window.focus()
    setRevealTarget(item.id)
    navigate(sessionPath(item.session_id))
    note.close()
  }
}

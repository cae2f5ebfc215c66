/**
 * Tells of what waits while nobody looks at the page. Only where a person asked for it, and only
 * for what was not waiting before; a click leads to the session. The lists of the page rest while
 * it is hidden, so this looks by itself.
 */
import type { InboxItem } from '@toolwire/react'
import { useEffect, useRef } from 'react'
import { client } from './client.ts'
import { usePreferences } from './preferences.ts'
import { navigate, sessionPath } from './router.ts'
import { useWords } from './strings/use-words.ts'

const EVERY_MS = 5000

/** Whether this page may notify at all: browsers allow it on secure addresses only. */
export const canNotify = (): boolean => 'Notification' in window && window.isSecureContext

/** Asks the browser; false when a person or the browser refuses. */
export async function allowNotifications(): Promise<boolean> {
  return canNotify() && (await Notification.requestPermission()) === 'granted'
}

export function useNotifications(waiting: readonly InboxItem[]): void {
  const { t } = useWords()
  const { notify } = usePreferences()
  const known = useRef(new Set<string>())
  const tell = useRef((_: InboxItem): void => {})
  tell.current = item => show(t(`announce.${item.kind}`, { name: item.name }), item)
  useEffect(() => {
    for (const item of waiting) known.current.add(item.id)
  }, [waiting])
  useEffect(() => {
    if (!notify || !canNotify()) return
    const look = async () => {
      if (!document.hidden || Notification.permission !== 'granted') return
      const items = await client.pending().catch(() => [])
      // By now somebody may be looking again.
      if (!document.hidden) return
      for (const item of items) {
        if (known.current.has(item.id)) continue
        known.current.add(item.id)
        tell.current(item)
      }
    }
    const timer = setInterval(() => void look(), EVERY_MS)
    return () => clearInterval(timer)
  }, [notify])
}

function show(text: string, item: InboxItem): void {
  const note = new Notification('Toolwire', { body: item.message ?? text, tag: item.id, icon: '/icon.svg' })
  note.onclick = () => {
    window.focus()
    navigate(sessionPath(item.session_id))
    note.close()
  }
}

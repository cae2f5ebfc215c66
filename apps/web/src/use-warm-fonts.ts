/**
 * Fonts for arguments that stream behind a closed card. Without them the browser searches a substitute when the
 * card opens, and the page freezes.
 */
import { useSessionContext } from '@toolwire/react'
import { useEffect } from 'react'

const FONT = '400 14px "Noto Sans SC Variable"'
/** Chinese characters and their punctuation. */
const WIDE = /[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]/g
/** Length of the first check; each next one is at twice the length, because a check costs the whole text. */
const FIRST = 500
const SAMPLE = 2000

export function useWarmFonts(): void {
  const { session } = useSessionContext()
  useEffect(() => {
    const next = new Map<string, number>()
    return session.subscribe(() => {
      const { active, calls } = session.getSnapshot().view
      for (const id of active) {
        const call = calls.get(id)
        const length = call?.input_text.length ?? 0
        if (call?.state !== 'building' || length < (next.get(id) ?? FIRST)) continue
        next.set(id, 2 * length)
        const wide = new Set(call.input_text.slice(-SAMPLE).match(WIDE))
        if (wide.size > 0) void document.fonts.load(FONT, [...wide].join('')).catch(() => {})
      }
    })
  }, [session])
}

/** Keys that work everywhere. None of them fires while an input method is composing. */
import { isComposing } from '@toolwire/react'
import { useEffect } from 'react'
import { getPreferences } from './preferences.ts'
import { navigate, type PanelTab, readPath, sessionPath } from './router.ts'

export function useShortcuts(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isComposing(event) || event.defaultPrevented) return
      const run = commandOf(event)
      if (!run) return
      event.preventDefault()
      run()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
}

function commandOf(event: KeyboardEvent): (() => void) | undefined {
  const shift = event.shiftKey && event.key !== '?' ? 'shift+' : ''
  const name = shift + event.key.toLowerCase()
  if (event.metaKey || event.ctrlKey) return COMMANDS[name]
  if (event.altKey || isTyping(event.target) || !getPreferences().singleKeys) return undefined
  return PLAIN[name]
}

const COMMANDS: Readonly<Record<string, () => void>> = {
  k: () => tellShortcut('palette'),
  'shift+o': () => navigate('/'),
  '.': () => togglePanel(),
}

/** Single keys, for when nothing is being typed. Screens that know what to do listen. */
const PLAIN: Readonly<Record<string, () => void>> = {
  e: () => tellShortcut('expand'),
  'shift+e': () => tellShortcut('collapse'),
  '?': () => tellShortcut('help'),
  '/': () => document.querySelector<HTMLInputElement>('#session-search')?.focus(),
}

type Shortcut = 'expand' | 'collapse' | 'help' | 'palette'

/** Does what the key of that command does. */
export const tellShortcut = (name: Shortcut): void =>
  void window.dispatchEvent(new Event(`toolwire:shortcut-${name}`))

/** Calls back when the key of that command was pressed. */
export function useShortcut(name: Shortcut, listener: () => void): void {
  useEffect(() => {
    const type = `toolwire:shortcut-${name}`
    window.addEventListener(type, listener)
    return () => window.removeEventListener(type, listener)
  }, [name, listener])
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.closest('input, textarea, select, [contenteditable], dialog') !== null

/** The tab that was open last. */
let lastTab: PanelTab = 'trace'

/** Opens or closes the side panel of the session on the screen. */
export function togglePanel(): void {
  const route = readPath(location.pathname)
  if (route.screen !== 'session') return
  lastTab = route.panel ?? lastTab
  navigate(sessionPath(route.id, route.panel === undefined ? lastTab : undefined), true)
}

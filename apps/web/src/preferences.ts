/** User settings on this device. Stored by the browser; a store, so every tab and part sees a change at once. */
import { LOCALES, type Locale, pickLocale } from '@toolwire/core/view'
import type { Density } from '@toolwire/react'
import { useSyncExternalStore } from 'react'

export interface Preferences {
  readonly theme: 'system' | 'light' | 'dark'
  readonly locale: Locale
  readonly density: Density
  /** Sent with every request; '' when the server needs none. */
  readonly apiKey: string
  readonly sidebar: boolean
  /** Notify about pending items while the page is hidden. */
  readonly notify: boolean
  /** And by a sound. */
  readonly sound: boolean
  /** Keys without Ctrl act on cards and lists. */
  readonly singleKeys: boolean
  /** Of the side panel, in pixels. */
  readonly panelWidth: number
}

const NAME = 'toolwire.preferences'
const DEFAULTS: Preferences = {
  theme: 'system',
  locale: pickLocale(navigator.languages),
  density: 'normal',
  apiKey: '',
  sidebar: true,
  notify: false,
  sound: false,
  singleKeys: true,
  panelWidth: 400,
}

const listeners = new Set<() => void>()
let current = read()

export const getPreferences = (): Preferences => current

/** Changes some of them; storage that is full or forbidden is no reason to refuse. */
export function setPreferences(change: Partial<Preferences>): void {
  current = { ...current, ...change }
  try {
    localStorage.setItem(NAME, JSON.stringify(current))
  } catch {}
  tell()
}

export const usePreferences = (): Preferences => useSyncExternalStore(subscribeToPreferences, getPreferences)

export function subscribeToPreferences(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function tell(): void {
  apply(current)
  for (const listener of listeners) listener()
}

function read(): Preferences {
  let stored: Record<string, unknown> = {}
  try {
    stored = (JSON.parse(localStorage.getItem(NAME) ?? '{}') ?? {}) as Record<string, unknown>
  } catch {}
  const { theme, locale, density, apiKey, sidebar, notify, sound, singleKeys, panelWidth } = stored
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : 'system',
    locale: LOCALES.find(known => known === locale) ?? DEFAULTS.locale,
    density: density === 'compact' || density === 'everything' ? density : 'normal',
    apiKey: typeof apiKey === 'string' ? apiKey : '',
    sidebar: sidebar !== false,
    notify: notify === true,
    sound: sound === true,
    singleKeys: singleKeys !== false,
    panelWidth: typeof panelWidth === 'number' ? panelWidth : DEFAULTS.panelWidth,
  }
}

/** The stylesheet follows the document: its colour scheme and its language. */
function apply({ theme, locale }: Preferences): void {
  const root = document.documentElement
  root.lang = locale
  root.dataset['twTheme'] = theme
}

window.addEventListener('storage', event => {
  if (event.key !== NAME) return
  current = read()
  tell()
})
apply(current)

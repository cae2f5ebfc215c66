/** Addresses of the app. Every screen has one, so that reloading and sharing a link work. */
import { type MouseEvent, useSyncExternalStore } from 'react'

export const PANEL_TABS = ['changes', 'files', 'trace', 'events', 'prompt'] as const
export type PanelTab = (typeof PANEL_TABS)[number]

export type Route =
  | { readonly screen: 'home' }
  | {
      readonly screen: 'session'
      readonly id: string
      /** The tab of the side panel; absent while the panel is closed. */
      readonly panel?: PanelTab
      /** The file or folder that the tab shows, relative to the workspace. */
      readonly file: string
    }
  | { readonly screen: 'sessions' }
  | { readonly screen: 'inbox' }
  | { readonly screen: 'tools' }
  | { readonly screen: 'agents' }
  | { readonly screen: 'settings'; readonly section: string }
  | { readonly screen: 'unknown' }

/** The screen of a path. */
export function readPath(path: string): Route {
  if (path === '/') return { screen: 'home' }
  const session = /^\/sessions\/([^/]+)(?:\/(changes|files|trace|events|prompt)(?:\/(.*))?)?$/.exec(path)
  if (session?.[1]) return readSessionPath(session[1], session[2] as PanelTab | undefined, session[3] ?? '')
  const settings = /^\/settings(?:\/(\w+))?$/.exec(path)
  if (settings) return { screen: 'settings', section: settings[1] ?? '' }
  if (path === '/sessions' || path === '/inbox' || path === '/tools' || path === '/agents')
    return { screen: path.slice(1) as 'sessions' | 'inbox' | 'tools' | 'agents' }
  return { screen: 'unknown' }
}

function readSessionPath(id: string, panel: PanelTab | undefined, file: string): Route {
  try {
    const names = file.split('/').map(decodeURIComponent).filter(Boolean)
    return {
      screen: 'session',
      id: decodeURIComponent(id),
      file: names.join('/'),
      ...(panel === undefined ? {} : { panel }),
    }
  } catch {
    return { screen: 'unknown' }
  }
}

export const sessionPath = (id: string, panel?: PanelTab, file = ''): string =>
  [`/sessions/${encodeURIComponent(id)}`, panel, ...file.split('/').map(encodeURIComponent)]
    .filter(Boolean)
    .join('/')

const CHANGED = 'toolwire:navigate'

/** Goes to a path; `replace` leaves no entry to go back to. */
export function navigate(path: string, replace = false): void {
  if (path === location.pathname + location.search) return
  if (replace) history.replaceState(null, '', path)
  else history.pushState(null, '', path)
  window.dispatchEvent(new Event(CHANGED))
}

/** A click on a link to this app; clicks that open a new tab are left to the browser. */
export function followLink(event: MouseEvent<HTMLAnchorElement>): void {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  event.preventDefault()
  navigate(event.currentTarget.pathname + event.currentTarget.search)
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('popstate', listener)
  window.addEventListener(CHANGED, listener)
  return () => {
    window.removeEventListener('popstate', listener)
    window.removeEventListener(CHANGED, listener)
  }
}

export const usePath = (): string => useSyncExternalStore(subscribe, () => location.pathname)

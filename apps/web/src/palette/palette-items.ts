/** Items of the palette for the typed text: matching commands, then sessions found by the server. */
import { useEffect, useMemo, useState } from 'react'
import { client } from '../client.ts'
import { getPreferences, setPreferences } from '../preferences.ts'
import { navigate, PANEL_TABS, readPath, sessionPath } from '../router.ts'
import { useStrings, type Words } from '../strings/use-strings.ts'
import { tellShortcut, togglePanel } from '../use-shortcuts.ts'

export interface PaletteItem {
  readonly id: string
  readonly label: string
  /** The key that does the same. */
  readonly key?: string
  /** The kind of item, unless it is a command. */
  readonly kind?: string
  readonly run: () => void
}

const MOST_SESSIONS = 8
const NO_ITEMS: readonly PaletteItem[] = []

export function usePaletteItems(text: string): readonly PaletteItem[] {
  const words = useStrings()
  // Not deferred: Enter right after the last letter must run the item that fits the whole text.
  const wanted = text.trim().toLowerCase()
  const sessions = useSessions(wanted, words)
  const commands = useMemo(() => commandsOf(words), [words])
  return [...commands.filter(({ label }) => fits(label.toLowerCase(), wanted)), ...sessions]
}

/** Every word that was typed occurs somewhere. */
const fits = (label: string, wanted: string): boolean =>
  wanted.split(/\s+/).every(word => label.includes(word))

function commandsOf({ t, a, locale }: Words): readonly PaletteItem[] {
  const go = (path: string, label: string): PaletteItem => ({ id: path, label, run: () => navigate(path) })
  const route = readPath(location.pathname)
  return [
    { ...go('/', a('session.new')), key: 'Ctrl Shift O' },
    go('/inbox', t('inbox.title')),
    go('/sessions', t('session.list')),
    go('/agents', a('agents.title')),
    go('/tools', a('tools.title')),
    go('/settings', a('settings.title')),
    { id: 'reference', label: a('nav.reference'), run: () => location.assign('/reference') },
    ...(route.screen === 'session'
      ? [
          { id: 'trace', label: a('keys.trace'), key: 'Ctrl .', run: togglePanel },
          ...PANEL_TABS.map(tab => ({
            id: `panel-${tab}`,
            label: a(`panel.${tab}`),
            run: () => navigate(sessionPath(route.id, tab), true),
          })),
          { id: 'expand', label: a('keys.expand'), key: 'E', run: () => tellShortcut('expand') },
          { id: 'collapse', label: a('keys.collapse'), key: 'Shift E', run: () => tellShortcut('collapse') },
        ]
      : []),
    { id: 'theme', label: a('palette.theme'), run: switchTheme },
    ...(['en', 'zh-Hans', 'zh-Hant'] as const)
      .filter(name => name !== locale)
      .map(name => ({
        id: name,
        label: `${a('settings.language')}: ${LANGUAGES[name]}`,

        run: () => setPreferences({ locale: name }),
      })),
    { id: 'help', label: a('settings.shortcuts'), key: '?', run: () => tellShortcut('help') },
  ]
}

const LANGUAGES = { en: 'English', 'zh-Hans': '简体中文', 'zh-Hant': '繁體中文' } as const

function switchTheme(): void {
  const { theme } = getPreferences()
  const dark = theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches)
  setPreferences({ theme: dark ? 'light' : 'dark' })
}

/** Latest sessions first, filtered by the text. Empty until the server has answered for exactly this text. */
function useSessions(wanted: string, { t }: Words): readonly PaletteItem[] {
  const [found, setFound] = useState<{ readonly wanted: string; readonly items: readonly PaletteItem[] }>()
  useEffect(() => {
    let gone = false
    void client.sessions
      .list({ limit: MOST_SESSIONS, ...(wanted === '' ? {} : { text: wanted }) })
      .then(
        ({ sessions }) =>
          sessions.map(({ id, title }) => ({
            id: `session ${id}`,
            label: title ?? t('session.untitled'),
            kind: t('session.list'),
            run: () => navigate(sessionPath(id)),
          })),
        () => [],
      )
      .then(items => gone || setFound({ wanted, items }))
    return () => {
      gone = true
    }
  }, [wanted, t])
  return found?.wanted === wanted ? found.items : NO_ITEMS
}

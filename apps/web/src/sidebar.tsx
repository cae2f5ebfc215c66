/** The navigation: new session, inbox, the sessions by age, tools and settings. */
import { partLabels, sessionsByAge } from '@toolwire/core/parts'
import { useSessionList } from '@toolwire/react'
import { useDeferredValue, useEffect, useState } from 'react'
import { AppIcon, type AppIconName } from './app-icon.tsx'
import { client } from './client.ts'
import { setPreferences, usePreferences } from './preferences.ts'
import { followLink, readPath } from './router.ts'
import { SessionItem } from './session-item.tsx'
import { useSessionChanged } from './session-signal.ts'
import { useStrings } from './strings/use-strings.ts'
import { tellShortcut } from './use-shortcuts.ts'

export interface SidebarProps {
  readonly path: string
  readonly waiting: number
  readonly onClose: () => void
}

export function Sidebar({ path, waiting, onClose }: SidebarProps) {
  const { t, a } = useStrings()
  return (
    <>
      <button
        type="button"
        className="scrim"
        aria-label={t('common.close')}
        onClick={onClose}
        tabIndex={-1}
      />
      <nav className="sidebar" aria-label={a('nav.menu')}>
        <div className="brand-row">
          <a className="brand" href="/" onClick={followLink}>
            <img src="/icon.svg" alt="" width="22" height="22" />
            Toolwire
          </a>
          <button
            type="button"
            className="palette-button"
            title={a('keys.palette')}
            onClick={() => tellShortcut('palette')}
          >
            <span className="sr-only">{a('keys.palette')}</span>
            <kbd>Ctrl K</kbd>
          </button>
        </div>
        <NavLink icon="plus" href="/" label={a('session.new')} current={path === '/'} />
        <NavLink
          icon="inbox"
          href="/inbox"
          label={t('inbox.title')}
          current={path === '/inbox'}
          count={waiting}
        />
        <NavLink icon="list" href="/sessions" label={t('session.list')} current={path === '/sessions'} />
        <NavLink icon="shield" href="/agents" label={a('agents.title')} current={path === '/agents'} />
        <NavLink icon="tools" href="/tools" label={a('tools.title')} current={path === '/tools'} />
        <Sessions path={path} />
        <footer>
          <NavLink
            icon="settings"
            href="/settings"
            label={a('settings.title')}
            current={path.startsWith('/settings')}
          />
          <a
            className="icon-button"
            href="/reference"
            aria-label={a('nav.reference')}
            title={a('nav.reference')}
          >
            <AppIcon name="code" />
          </a>
          <ThemeButton />
        </footer>
      </nav>
    </>
  )
}

interface NavLinkProps {
  readonly icon: AppIconName
  readonly href: string
  readonly label: string
  readonly current: boolean
  readonly count?: number
}

function NavLink({ icon, href, label, current, count = 0 }: NavLinkProps) {
  return (
    <a className="nav-link" href={href} onClick={followLink} aria-current={current ? 'page' : undefined}>
      <AppIcon name={icon} />
      <span>{label}</span>
      {count > 0 && <span className="badge">{count}</span>}
    </a>
  )
}

function ThemeButton() {
  const { a } = useStrings()
  const { theme } = usePreferences()
  const dark = theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches)
  const label = a(dark ? 'settings.light' : 'settings.dark')
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={label}
      title={label}
      onClick={() => setPreferences({ theme: dark ? 'light' : 'dark' })}
    >
      <AppIcon name={dark ? 'sun' : 'moon'} />
    </button>
  )
}

function Sessions({ path }: { readonly path: string }) {
  const { t, a, locale } = useStrings()
  const [text, setText] = useState('')
  const wanted = useDeferredValue(text.trim())
  const { data, loaded, refresh } = useSessionList(client, {
    limit: 100,
    inputs: 'short',
    ...(wanted === '' ? {} : { text: wanted }),
  })
  // A session that was just made is not in the list yet.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path is the reason
  useEffect(refresh, [path])
  useSessionChanged(refresh)
  const route = readPath(path)
  const current = route.screen === 'session' ? route.id : ''
  return (
    <section className="sessions" aria-label={t('session.list')}>
      <label className="search">
        <AppIcon name="search" />
        <input
          id="session-search"
          type="search"
          placeholder={t('session.search')}
          aria-label={t('session.search')}
          value={text}
          onChange={event => setText(event.target.value)}
        />
      </label>
      <div className="session-list">
        {loaded && data.length === 0 && (
          <p className="quiet">{wanted === '' ? t('session.empty') : a('nav.no_match')}</p>
        )}
        {sessionsByAge(data, Date.now()).map(([age, sessions]) => (
          <section key={age}>
            <h2>{partLabels(t)[age]}</h2>
            <ul>
              {sessions.map(session => (
                <SessionItem
                  key={session.id}
                  session={session}
                  current={session.id === current}
                  locale={locale}
                  onChange={refresh}
                />
              ))}
            </ul>
          </section>
        ))}
      </div>
    </section>
  )
}

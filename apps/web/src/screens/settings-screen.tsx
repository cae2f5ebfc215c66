/** Settings of this device and of the server, by section and by search. */
import { LOCALES, type Locale } from '@toolwire/core/view'
import { type ReactNode, useState } from 'react'
import { AppIcon } from '../app-icon.tsx'
import { KeyField } from '../key-form.tsx'
import { KeyList } from '../key-list.tsx'
import { setPreferences, usePreferences } from '../preferences.ts'
import { followLink } from '../router.ts'
import { Choice } from '../settings/choice.tsx'
import { DoctorGroup } from '../settings/doctor-group.tsx'
import { Group } from '../settings/group.tsx'
import { McpGroup } from '../settings/mcp-group.tsx'
import { MemoryGroup } from '../settings/memory-group.tsx'
import { NotifyGroup } from '../settings/notify-group.tsx'
import { PermissionsGroup } from '../settings/permissions-group.tsx'
import { ProvidersGroup } from '../settings/providers-group.tsx'
import { findSections, SECTION_TITLES, SECTIONS, type SettingsSection } from '../settings/sections.ts'
import { ServerGroup } from '../settings/server-group.tsx'
import { StorageGroup } from '../settings/storage-group.tsx'
import { useStrings } from '../strings/use-strings.ts'
import { ScreenHeader } from './screen-header.tsx'

const NAMES: Readonly<Record<Locale, string>> = {
  en: 'English',
  'zh-Hans': '简体中文',
  'zh-Hant': '繁體中文',
}

export interface SettingsScreenProps {
  /** '' shows all of them. */
  readonly section: string
  readonly onMenu: () => void
}

export function SettingsScreen({ section, onMenu }: SettingsScreenProps) {
  const { a } = useStrings()
  const [words, setWords] = useState('')
  // The server's facts are reloaded after a change of keys.
  const [round, setRound] = useState(0)
  const found = findSections(words)
  const one = SECTIONS.find(name => name === section)
  const shown = words.trim() === '' && one !== undefined ? [one] : found
  const groups: Readonly<Record<SettingsSection, ReactNode>> = {
    appearance: <Appearance />,
    notifications: <NotifyGroup />,
    keyboard: <Keyboard />,
    browser: (
      <Group title={a('settings.key')}>
        <KeyField />
      </Group>
    ),
    permissions: <PermissionsGroup />,
    memory: <MemoryGroup />,
    models: <ProvidersGroup onChange={() => setRound(n => n + 1)} />,
    server: <ServerGroup key={round} />,
    mcp: <McpGroup />,
    storage: <StorageGroup />,
    health: <DoctorGroup />,
  }
  return (
    <>
      <ScreenHeader title={a('settings.title')} onMenu={onMenu} />
      <div className="page settings">
        <div className="settings-nav">
          <label className="search">
            <AppIcon name="search" />
            <input
              type="search"
              placeholder={a('settings.search')}
              aria-label={a('settings.search')}
              value={words}
              onChange={event => setWords(event.target.value)}
            />
          </label>
          <nav aria-label={a('settings.sections')}>
            <SectionLink href="/settings" label={a('settings.all')} current={one === undefined} />
            {SECTIONS.map(name => (
              <SectionLink
                key={name}
                href={`/settings/${name}`}
                label={a(SECTION_TITLES[name])}
                current={one === name}
              />
            ))}
          </nav>
        </div>
        <div className="settings-body">
          {shown.length === 0 && <p className="empty">{a('nav.no_match')}</p>}
          {shown.map(name => (
            <div key={name} data-section={name}>
              {groups[name]}
            </div>
          ))}
        </div>
      </div>
    </>
  )
}

interface SectionLinkProps {
  readonly href: string
  readonly label: string
  readonly current: boolean
}

function SectionLink({ href, label, current }: SectionLinkProps) {
  return (
    <a href={href} onClick={followLink} aria-current={current ? 'page' : undefined}>
      {label}
    </a>
  )
}

function Keyboard() {
  const { a } = useStrings()
  const { singleKeys } = usePreferences()
  return (
    <Group title={a('settings.shortcuts')}>
      <label className="check">
        <input
          type="checkbox"
          checked={singleKeys}
          onChange={event => setPreferences({ singleKeys: event.target.checked })}
        />
        <span>{a('keys.single')}</span>
      </label>
      <KeyList />
    </Group>
  )
}

function Appearance() {
  const { a } = useStrings()
  const { theme, locale, density } = usePreferences()
  return (
    <>
      <Choice
        label={a('settings.theme')}
        value={theme}
        options={[
          ['system', a('settings.system')],
          ['light', a('settings.light')],
          ['dark', a('settings.dark')],
        ]}
        onChange={value => setPreferences({ theme: value })}
      />
      <Choice
        label={a('settings.language')}
        value={locale}
        options={LOCALES.map(name => [name, NAMES[name]] as const)}
        onChange={value => setPreferences({ locale: value })}
      />
      <Choice
        label={a('settings.density')}
        value={density}
        options={[
          ['compact', a('settings.compact')],
          ['normal', a('settings.normal')],
          ['everything', a('settings.everything')],
        ]}
        onChange={value => setPreferences({ density: value })}
      />
    </>
  )
}

/**
 * Settings of this device, and facts of the server: rules, grants, memory, provider keys, models with prices,
 * storage, health.
 */
import { LOCALES, type Locale } from '@toolwire/core/view'
import { useState } from 'react'
import { KeyField } from '../key-form.tsx'
import { KeyList } from '../key-list.tsx'
import { setPreferences, usePreferences } from '../preferences.ts'
import { Choice } from '../settings/choice.tsx'
import { DoctorGroup } from '../settings/doctor-group.tsx'
import { Group } from '../settings/group.tsx'
import { MemoryGroup } from '../settings/memory-group.tsx'
import { NotifyGroup } from '../settings/notify-group.tsx'
import { PermissionsGroup } from '../settings/permissions-group.tsx'
import { ProvidersGroup } from '../settings/providers-group.tsx'
import { ServerGroup } from '../settings/server-group.tsx'
import { StorageGroup } from '../settings/storage-group.tsx'
import { useStrings } from '../strings/use-strings.ts'
import { ScreenHeader } from './screen-header.tsx'

const NAMES: Readonly<Record<Locale, string>> = {
  en: 'English',
  'zh-Hans': '简体中文',
  'zh-Hant': '繁體中文',
}

export function SettingsScreen({ onMenu }: { readonly onMenu: () => void }) {
  const { a } = useStrings()
  // The server's facts are reloaded after a change of keys.
  const [round, setRound] = useState(0)
  return (
    <>
      <ScreenHeader title={a('settings.title')} onMenu={onMenu} />
      <div className="page settings">
        <Appearance />
        <NotifyGroup />
        <PermissionsGroup />
        <MemoryGroup />
        <ProvidersGroup onChange={() => setRound(n => n + 1)} />
        <ServerGroup key={round} />
        <StorageGroup />
        <DoctorGroup />
        <Group title={a('settings.key')}>
          <KeyField />
        </Group>
        <Group title={a('settings.shortcuts')}>
          <KeyList />
        </Group>
      </div>
    </>
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

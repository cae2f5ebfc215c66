/** What can be set on this device, and the keys that work. */
import { LOCALES, type Locale } from '@toolwire/core/view'
import type { ReactNode } from 'react'
import { KeyField } from '../key-form.tsx'
import { setPreferences, usePreferences } from '../preferences.ts'
import type { AppKey } from '../strings/app-en.ts'
import { useWords } from '../strings/use-words.ts'
import { ScreenHeader } from './screen-header.tsx'

const NAMES: Readonly<Record<Locale, string>> = {
  en: 'English',
  'zh-Hans': '简体中文',
  'zh-Hant': '繁體中文',
}
const KEYS: readonly (readonly [string, AppKey])[] = [
  ['Enter', 'keys.send'],
  ['Shift Enter', 'keys.newline'],
  ['Esc', 'keys.stop'],
  ['Ctrl Shift O', 'keys.new'],
  ['Ctrl K', 'keys.search'],
  ['Ctrl .', 'keys.trace'],
]

export function SettingsScreen({ onMenu }: { readonly onMenu: () => void }) {
  const { t, a } = useWords()
  const { theme, locale, density } = usePreferences()
  return (
    <>
      <ScreenHeader title={t('settings.title')} onMenu={onMenu} />
      <div className="page settings">
        <Choice
          label={t('settings.theme')}
          value={theme}
          options={[
            ['system', a('settings.system')],
            ['light', a('settings.light')],
            ['dark', a('settings.dark')],
          ]}
          onChange={value => setPreferences({ theme: value })}
        />
        <Choice
          label={t('settings.language')}
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
        <Group title={a('settings.key')}>
          <KeyField />
        </Group>
        <Group title={a('settings.shortcuts')}>
          <dl className="keys">
            {KEYS.map(([keys, words]) => (
              <div key={keys}>
                <dt>
                  {keys.split(' ').map(key => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dt>
                <dd>{a(words)}</dd>
              </div>
            ))}
          </dl>
        </Group>
      </div>
    </>
  )
}

function Group({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="group">
      <h2>{title}</h2>
      {children}
    </section>
  )
}

interface ChoiceProps<T extends string> {
  readonly label: string
  readonly value: T
  readonly options: readonly (readonly [T, string])[]
  readonly onChange: (value: T) => void
}

function Choice<T extends string>({ label, value, options, onChange }: ChoiceProps<T>) {
  return (
    <fieldset className="group">
      <legend>{label}</legend>
      <div className="segments">
        {options.map(([name, words]) => (
          <label key={name}>
            <input type="radio" name={label} checked={name === value} onChange={() => onChange(name)} />
            <span>{words}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

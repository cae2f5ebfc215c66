/** The sections of the settings, and which texts belong to each: the search looks through all languages. */
import { type AppKey, appEn } from '../strings/app-en.ts'
import { appZhHans } from '../strings/app-zh-hans.ts'
import { appZhHant } from '../strings/app-zh-hant.ts'

export const SECTIONS = [
  'appearance',
  'notifications',
  'keyboard',
  'browser',
  'permissions',
  'memory',
  'models',
  'server',
  'mcp',
  'storage',
  'health',
] as const
export type SettingsSection = (typeof SECTIONS)[number]

export const SECTION_TITLES: Readonly<Record<SettingsSection, AppKey>> = {
  appearance: 'settings.appearance',
  notifications: 'notify.title',
  keyboard: 'settings.shortcuts',
  browser: 'settings.key',
  permissions: 'permissions.title',
  memory: 'memory.title',
  models: 'providers.title',
  server: 'server.title',
  mcp: 'mcp.title',
  storage: 'storage.title',
  health: 'doctor.title',
}

/** Beginnings of the keys of a section's texts. */
const TEXTS: Readonly<Record<SettingsSection, readonly string[]>> = {
  appearance: [
    'settings.appearance',
    'settings.theme',
    'settings.language',
    'settings.density',
    'settings.system',
    'settings.light',
    'settings.dark',
    'settings.compact',
    'settings.normal',
    'settings.everything',
  ],
  notifications: ['notify.'],
  keyboard: ['keys.', 'settings.shortcuts'],
  browser: ['settings.key'],
  permissions: ['permissions.', 'rule.', 'mode.'],
  memory: ['memory.'],
  models: ['providers.'],
  server: ['server.'],
  mcp: ['mcp.'],
  storage: ['storage.'],
  health: ['doctor.'],
}

const TABLES: readonly Readonly<Record<string, string>>[] = [appEn, appZhHans, appZhHant]

/** Sections with a label or a help text that holds the words, in any language; all of them for no words. Pure. */
export function findSections(query: string): readonly SettingsSection[] {
  const wanted = query.trim().toLowerCase()
  if (wanted === '') return SECTIONS
  return SECTIONS.filter(section =>
    TABLES.some(table =>
      Object.entries(table).some(
        ([key, text]) =>
          TEXTS[section].some(beginning => key.startsWith(beginning)) && text.toLowerCase().includes(wanted),
      ),
    ),
  )
}

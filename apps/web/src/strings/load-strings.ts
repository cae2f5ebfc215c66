/** The texts that are shown. English is a part of the page; another language is loaded when it is set. */
import { en, type Locale, type Strings } from '@toolwire/core/view'
import { getPreferences, subscribeToPreferences } from '../preferences.ts'
import { type AppKey, appEn } from './app-en.ts'

export interface Texts {
  /** Of the parts. */
  readonly parts: Strings
  readonly app: Readonly<Record<AppKey, string>>
}

const loaded = new Map<Locale, Texts>([['en', { parts: en, app: appEn }]])
const LOADERS: Readonly<Record<Exclude<Locale, 'en'>, () => Promise<Texts>>> = {
  'zh-Hans': () => import('./zh-hans.ts'),
  'zh-Hant': () => import('./zh-hant.ts'),
}
const listeners = new Set<() => void>()
let shown: Texts = { parts: en, app: appEn }

export const getTexts = (): Texts => shown

export function subscribeToTexts(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Shows the language that is set; what was shown stays when it cannot be loaded. */
export async function showSetLanguage(): Promise<void> {
  const { locale } = getPreferences()
  const texts = await load(locale)
  // Another language may have been set meanwhile.
  if (!texts || texts === shown || locale !== getPreferences().locale) return
  shown = texts
  for (const listener of listeners) listener()
}

async function load(locale: Locale): Promise<Texts | undefined> {
  const existing = loaded.get(locale)
  if (existing || locale === 'en') return existing
  try {
    const { parts, app } = await LOADERS[locale]()
    const texts = { parts, app }
    loaded.set(locale, texts)
    return texts
  } catch {
    return undefined
  }
}

subscribeToPreferences(() => void showSetLanguage())

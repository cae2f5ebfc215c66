/** The words of the app and of the parts in the language that is set. */
import { STRINGS } from '@toolwire/core/strings'
import { createTranslate, type Locale, type Params, type Strings, type Translate } from '@toolwire/core/view'
import { useMemo } from 'react'
import { usePreferences } from '../preferences.ts'
import { type AppKey, appEn } from './app-en.ts'
import { appZhHans } from './app-zh-hans.ts'
import { appZhHant } from './app-zh-hant.ts'

const TABLES: Readonly<Record<Locale, Readonly<Record<AppKey, string>>>> = {
  en: appEn,
  'zh-Hans': appZhHans,
  'zh-Hant': appZhHant,
}

export interface Words {
  /** Words of the parts. */
  readonly t: Translate
  /** Words of the app. */
  readonly a: (key: AppKey, params?: Params) => string
  readonly strings: Strings
  readonly locale: Locale
}

export function useStrings(): Words {
  const { locale } = usePreferences()
  return useMemo(() => {
    const strings = STRINGS[locale]
    const own = createTranslate({ locale, texts: TABLES[locale] as unknown as Strings['texts'] })
    return {
      locale,
      strings,
      t: createTranslate(strings),
      a: (key, params) => own(key as unknown as Parameters<typeof own>[0], params),
    }
  }, [locale])
}

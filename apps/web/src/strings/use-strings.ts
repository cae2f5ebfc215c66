/** The words of the app and of the parts in the language that is shown. */
import { createTranslate, type Locale, type Params, type Strings, type Translate } from '@toolwire/core/view'
import { useMemo, useSyncExternalStore } from 'react'
import type { AppKey } from './app-en.ts'
import { getTexts, subscribeToTexts } from './load-strings.ts'

export interface Words {
  /** Words of the parts. */
  readonly t: Translate
  /** Words of the app. */
  readonly a: (key: AppKey, params?: Params) => string
  readonly strings: Strings
  readonly locale: Locale
}

export function useStrings(): Words {
  const texts = useSyncExternalStore(subscribeToTexts, getTexts)
  return useMemo(() => {
    const { parts, app } = texts
    const { locale } = parts
    const own = createTranslate({ locale, texts: app as unknown as Strings['texts'] })
    return {
      locale,
      strings: parts,
      t: createTranslate(parts),
      a: (key, params) => own(key as unknown as Parameters<typeof own>[0], params),
    }
  }, [texts])
}

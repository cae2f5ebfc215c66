/** Picks words of the interface and fills them in. The tables are data; see strings/index.ts. */
import { en, type Locale, type MessageKey, type Strings } from './en.ts'

export type Params = Readonly<Record<string, string | number>>

/**
 * `n` decides between the forms of a text that has two. Unknown placeholders stay as they are. A word of a newer server
 * that no text is about, as in `state.asleep`, is shown itself. Never throws.
 */
export interface Translate {
  (key: MessageKey, params?: Params): string
  readonly locale: Locale
}

/** A translator for one language; texts in `own` replace the table's. */
export function createTranslate(
  strings: Strings = en,
  own: Partial<Record<MessageKey, string>> = {},
): Translate {
  const { locale, texts } = strings
  const plural = new Intl.PluralRules(locale)
  const numbers = new Intl.NumberFormat(locale)
  const translate = (key: MessageKey, params: Params = {}): string => {
    const text = (Object.hasOwn(own, key) ? own[key] : undefined) ?? textOf(texts, key)
    const [one = '', many = one] = text.split('|')
    const form = typeof params['n'] === 'number' && plural.select(params['n']) === 'one' ? one : many
    return form.replace(/\{(\w+)\}/g, (whole, name: string) => {
      const value = Object.hasOwn(params, name) ? params[name] : undefined
      return value === undefined ? whole : typeof value === 'number' ? numbers.format(value) : value
    })
  }
  return Object.assign(translate, { locale })
}

const textOf = (texts: Strings['texts'], key: MessageKey): string =>
  Object.hasOwn(texts, key) ? texts[key] : key.slice(key.indexOf('.') + 1)

/** The nearest of our languages for a list of language tags, best first. English when none fits. */
export function pickLocale(tags: readonly string[]): Locale {
  for (const tag of tags) {
    const lower = tag.toLowerCase()
    if (lower.startsWith('zh')) return /hant|-(?:tw|hk|mo)\b/.test(lower) ? 'zh-Hant' : 'zh-Hans'
    if (lower.startsWith('en')) return 'en'
  }
  return 'en'
}

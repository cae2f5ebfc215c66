/** For how long a rule may be given with an approval. Its words are here because only forms that draw need them. */
import type { Locale } from '../../strings/en.ts'

export type RuleTime = 'always' | 'today' | 'hour'

interface RuleTimeChoice {
  readonly value: RuleTime
  readonly words: string
}

const WORDS: Readonly<Record<Locale, Readonly<Record<RuleTime | 'label', string>>>> = {
  en: { label: 'For how long', always: 'No time limit', today: 'Today', hour: 'For an hour' },
  'zh-Hans': { label: '有效期', always: '不限时', today: '今天', hour: '一小时' },
  'zh-Hant': { label: '有效期', always: '不限時', today: '今天', hour: '一小時' },
}

/** Options of a form, the first one chosen; and the name of the field. */
export function ruleTimes(locale: Locale): {
  readonly label: string
  readonly choices: readonly RuleTimeChoice[]
} {
  const { label, ...words } = WORDS[locale]
  const values: readonly RuleTime[] = ['always', 'today', 'hour']
  return { label, choices: values.map(value => ({ value, words: words[value] })) }
}

/** The option of an approval that says so; nothing for ever. `today` ends at the reader's midnight. */
export function ruleTtl(time: RuleTime, now: Date): { readonly rule_ttl_s?: number } {
  switch (time) {
    case 'always':
      return {}
    case 'hour':
      return { rule_ttl_s: 3600 }
    case 'today': {
      const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1).getTime()
      return { rule_ttl_s: Math.max(1, Math.ceil((midnight - now.getTime()) / 1000)) }
    }
  }
}

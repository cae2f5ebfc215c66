/** Everything the demo model says, as one table per language. */
import type { Language } from './language.ts'
import type { Phrases } from './phrase-book.ts'
import { ENGLISH } from './phrases-en.ts'
import { CHINESE } from './phrases-zh.ts'
import { TRADITIONAL } from './phrases-zh-hant.ts'

const TABLES: Readonly<Record<Language, Phrases>> = {
  en: ENGLISH,
  'zh-Hans': CHINESE,
  'zh-Hant': TRADITIONAL,
}

export const phrasesFor = (language: Language): Phrases => TABLES[language]

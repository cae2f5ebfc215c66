/** Everything the demo model says, as one table per language. */
import type { Language } from './language.ts'
import type { Phrases } from './phrase-book.ts'
import { ENGLISH } from './phrases-en.ts'
import { CHINESE } from './phrases-zh.ts'

export const phrasesFor = (language: Language): Phrases => (language === 'zh' ? CHINESE : ENGLISH)

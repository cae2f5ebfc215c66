/** Every language. A separate entry, so that a page with one language need not load three. */
import { en, type Locale, type Strings } from './en.ts'
import { zhHans } from './zh-hans.ts'
import { zhHant } from './zh-hant.ts'

export { en, zhHans, zhHant }

export const STRINGS: Readonly<Record<Locale, Strings>> = { en, 'zh-Hans': zhHans, 'zh-Hant': zhHant }

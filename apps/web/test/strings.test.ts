import { STRINGS } from '@toolwire/core/strings'
import { describe, expect, it } from 'vitest'
import { appEn } from '../src/strings/app-en.ts'
import { appZhHans } from '../src/strings/app-zh-hans.ts'
import { appZhHant } from '../src/strings/app-zh-hant.ts'

const TABLES = {
  en: { ...STRINGS.en.texts, ...appEn },
  'zh-Hans': { ...STRINGS['zh-Hans'].texts, ...appZhHans },
  'zh-Hant': { ...STRINGS['zh-Hant'].texts, ...appZhHant },
} as const

/** Texts with a word that the language does not use for its concept. */
const withWords = (locale: keyof typeof TABLES, words: RegExp): readonly string[] =>
  Object.entries(TABLES[locale]).flatMap(([key, text]) => (words.test(text) ? [`${key}: ${text}`] : []))

const placeholders = (text: string) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort()

describe('texts of the app and its parts', () => {
  it.each(['zh-Hans', 'zh-Hant'] as const)('have the keys and placeholders of English in %s', locale => {
    expect(Object.keys(TABLES[locale]).sort()).toEqual(Object.keys(TABLES.en).sort())
    const table: Readonly<Record<string, string>> = TABLES[locale]
    for (const [key, text] of Object.entries(TABLES.en))
      expect([key, placeholders(table[key] ?? '')]).toEqual([key, placeholders(text)])
  })

  it('say plainly in English what happens', () => {
    const retired =
      /\b(?:(?:no|some|any|every)body|tells?|told|under way|go on|broke off|anew|shall|whichever)\b|as the system/i
    expect(withWords('en', retired)).toEqual([])
  })

  it('use one term per concept in simplified Chinese', () => {
    expect(withWords('zh-Hans', /代理|折叠|追赶|待办|进行中|跟踪|分叉|观看|向人|「/)).toEqual([])
  })

  it('use one term per concept, and no mainland words, in traditional Chinese', () => {
    const others =
      /代理(?!程式)|工作階段|命令|批准|保存|更改|查看|送出|進行中|追趕|待辦|此操作無法|當前|文件|緊湊|始終|向人|出錯/
    expect(withWords('zh-Hant', others)).toEqual([])
  })
})

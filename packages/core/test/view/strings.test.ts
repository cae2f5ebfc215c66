import { describe, expect, it } from 'vitest'
import { createTranslate, LOCALES, type MessageKey, pickLocale } from '../../src/view/index.ts'
import { STRINGS, zhHans, zhHant } from '../../src/view/strings/index.ts'

const placeholders = (text: string) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort()

describe('strings', () => {
  for (const locale of LOCALES)
    it(`has the same keys and placeholders in ${locale} as in English`, () => {
      expect(Object.keys(STRINGS[locale].texts)).toEqual(Object.keys(STRINGS.en.texts))
      for (const key of Object.keys(STRINGS.en.texts) as MessageKey[]) {
        expect([key, placeholders(STRINGS[locale].texts[key])]).toEqual([
          key,
          placeholders(STRINGS.en.texts[key]),
        ])
        expect(STRINGS[locale].texts[key].trim()).not.toBe('')
      }
    })

  it('has no text in one Chinese script that belongs to the other', () => {
    expect(Object.values(zhHans.texts).join('')).not.toMatch(
      /[執準備絕與語覽檢視為錄開關這裡會說請問誤輸資訊複製]/,
    )
    expect(Object.values(zhHant.texts).join('')).not.toMatch(/[执备绝与语览检视为录开关这会说请问误输资讯]/)
  })

  it('fills in, chooses the form by the number and leaves unknown placeholders', () => {
    const t = createTranslate()
    expect(t('call.lines', { n: 1 })).toBe('1 line')
    expect(t('call.lines', { n: 1200 })).toBe('1,200 lines')
    expect(t('message.aborted', {})).toContain('{reason}')
    expect(createTranslate(zhHans)('call.lines', { n: 1 })).toBe('1 行')
  })

  it('takes own texts before the table', () => {
    expect(createTranslate(STRINGS.en, { 'composer.send': 'Go' })('composer.send')).toBe('Go')
  })

  it('picks the nearest language', () => {
    expect(pickLocale(['fr', 'zh-TW'])).toBe('zh-Hant')
    expect(pickLocale(['zh-Hant-HK'])).toBe('zh-Hant')
    expect(pickLocale(['zh-CN', 'en'])).toBe('zh-Hans')
    expect(pickLocale(['de'])).toBe('en')
  })
})

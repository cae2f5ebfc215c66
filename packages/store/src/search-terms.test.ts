import { expect, test } from 'vitest'
import { hasPhrase, toPhrases, toTerms } from './search-terms.ts'

const finds = (text: string, query: string): boolean =>
  toPhrases(query).every(phrase => hasPhrase(toTerms(text), phrase))

test('words are lower-cased and stripped of everything but letters, digits and marks', () => {
  expect(toTerms('Hello, WORLD_2! ﬁne')).toEqual(['hello', 'world', '2', 'fine'])
})

test('unspaced scripts become overlapping pairs and the last character', () => {
  expect(toTerms('沈阳天气')).toEqual(['沈阳', '阳天', '天气', '气'])
  expect(toTerms('用GPT模型')).toEqual(['用', 'gpt', '模型', '型'])
  expect(toTerms('𠮷野家')).toEqual(['𠮷野', '野家', '家'])
})

test('a query finds parts of unspaced text and beginnings of words', () => {
  expect(finds('请查询沈阳天气', '沈阳')).toBe(true)
  expect(finds('请查询沈阳天气', '阳天气')).toBe(true)
  expect(finds('请查询沈阳天气', '沈天')).toBe(false)
  expect(finds('東京タワーへ', 'タワー')).toBe(true)
  expect(finds('Weather in Shenyang', 'shen weath')).toBe(true)
  expect(finds('Weather in Shenyang', 'eather')).toBe(false)
})

test('a very long word is cut the same way in text and query', () => {
  const long = 'x'.repeat(500)
  expect(finds(`a ${long} b`, long)).toBe(true)
})

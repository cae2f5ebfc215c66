/** The check of retired words: what it reads, what it counts, and when it fails. */
import { expect, test } from 'vitest'
import { createLanguageCounter, findRises, lowerCounts, readSource, toProse } from '../language-rules.ts'

const count = (text: string, path = 'a.ts') => {
  const counter = createLanguageCounter()
  counter.addSource(readSource(path, text))
  return counter.counts()
}

test('finds retired words in comments, strings and JSX, and leaves code alone', () => {
  const text = '/** Nobody goes on. */\nconst a = "told" // at rest\nconst b = <p>Pictures</p>\nnobody()\n'
  expect(count(text, 'a.tsx')).toEqual({
    'nobody, somebody': { comments: 1 },
    'go on': { comments: 1 },
    'tell, told': { strings: 1 },
    'at rest': { comments: 1 },
    picture: { strings: 1 },
  })
})

test('finds retired words in declared names, whole words only', () => {
  const text =
    'const toldUsage = 1\nfunction goOn() {}\nconst string = 1\ninterface A { readonly bell: 1; rings: 2 }\n'
  expect(count(text)).toEqual({ 'retired word in a name': { names: 3 } })
})

test('finds participles as types, and no nouns', () => {
  const text =
    'interface Found {}\ntype Settled = 1\nclass Going {}\ninterface Setting {}\ntype SettledCall = 1\n'
  expect(count(text)).toEqual({ 'participle as a type': { names: 3 } })
})

test('finds comments that start with a question word or are too long', () => {
  const text =
    '/** Whether it is. */\nconst a = 1\n/*\n * 1\n * 2\n * 3\n * 4\n * 5\n */\nconst b = 2\n// How so\n'
  expect(count(text)).toEqual({
    'comment starts with a question word': { comments: 2 },
    'comment over four lines': { comments: 1 },
  })
})

test('reads prose without its code', () => {
  expect(toProse('say `told` and\n```ts\ntold\n```\nmore')).toBe('say  and\n\nmore')
})

test('fails for a count that rises, and only ever lowers what is allowed', () => {
  const allowed = { anew: { docs: 2, tests: 1 } }
  expect(findRises({ anew: { docs: 2 } }, allowed)).toEqual([])
  expect(findRises({ anew: { docs: 3 }, road: { docs: 1 } }, allowed)).toEqual([
    'anew (docs): 3, at most 2 allowed',
    'road (docs): 1, at most 0 allowed',
  ])
  expect(lowerCounts({ anew: { docs: 1, tests: 4 } }, allowed)).toEqual({ anew: { docs: 1, tests: 1 } })
})

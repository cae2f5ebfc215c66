/** What every code block of the pages must be: data that parses, code that compiles, or marked with a reason. */
import { expect, test } from 'vitest'
import { type CodeBlock, nameOf, readBlocks, toBlocks } from './code-blocks.ts'
import { typeCheck } from './type-check.ts'

const blocks = readBlocks()
/** Pages whose blocks of a language are run by other tests. */
const TESTED_ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  js: ['docs/gateway.md'],
  python: ['docs/python.md', 'clients/python/README.md'],
}
const isTypeChecked = ({ language, file }: CodeBlock): boolean =>
  /^tsx?$/.test(language) || (language === 'js' && !TESTED_ELSEWHERE['js']?.includes(file))
/** Run, type-checked or parsed here, and output or settings of other programs. */
const KNOWN = /^(sh|bash|tsx?|js|json|text|http|html|toml|yaml)$/

test('at most 30 blocks are not run, each with its reason', () => {
  const marked = blocks.filter(block => block.notRun !== undefined)
  expect(marked.length).toBeLessThanOrEqual(30)
  expect(marked.filter(block => (block.notRun ?? '').length < 10).map(nameOf)).toEqual([])
})

test('every block names a language for which there is a test', () => {
  const untested = blocks.filter(
    ({ language, file, notRun }) =>
      notRun === undefined && !KNOWN.test(language) && !TESTED_ELSEWHERE[language]?.includes(file),
  )
  expect(untested.map(block => `${nameOf(block)}: ${block.language}`)).toEqual([])
})

test('every block of JSON is JSON', () => {
  for (const block of blocks.filter(({ language, notRun }) => language === 'json' && notRun === undefined))
    expect(() => JSON.parse(block.text), nameOf(block)).not.toThrow()
})

test('every block of TypeScript compiles against the sources', () => {
  const checked = blocks.filter(block => isTypeChecked(block) && block.notRun === undefined)
  expect(checked.length).toBeGreaterThan(15)
  expect(typeCheck(checked)).toEqual([])
})

test('the check sees a wrong type, a missing name and a missing member', () => {
  const wrong = toBlocks(
    'docs/x.md',
    `\`\`\`ts
import { createClient } from '@toolwire/client'
createClient({ baseUrl: 1 })
createClient().nothing()
id
\`\`\`
`,
  )
  expect(typeCheck(wrong).map(problem => problem.split(':')[1])).toEqual(['3', '4', '5'])
  expect(typeCheck(wrong.map(block => ({ ...block, given: 'declare const id: string' }))).length).toBe(2)
})

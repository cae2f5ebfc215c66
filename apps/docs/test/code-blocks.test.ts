/** What every code block of the pages must be: data that parses, code that compiles, or marked with a reason. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listPages, ROOT, sourceOf } from '../src/pages.ts'
import { type CodeBlock, nameOf, readBlocks, toBlocks } from './code-blocks.ts'
import { typeCheck } from './type-check.ts'

const blocks = readBlocks()
/** Pages whose blocks of a language are run by other tests. */
const TESTED_ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  js: ['docs/gateway.md'],
  python: ['docs/python.md', 'clients/python/README.md'],
  go: ['docs/sse.md'],
  java: ['docs/sse.md'],
  csharp: ['docs/sse.md'],
  md: ['docs/agents.md'],
}
const isTypeChecked = ({ language, file }: CodeBlock): boolean =>
  /^tsx?$/.test(language) || (language === 'js' && !TESTED_ELSEWHERE['js']?.includes(file))
/** Run, type-checked or parsed here, and output or settings of other programs. */
const KNOWN = /^(sh|bash|tsx?|js|json|text|http|html|toml|yaml)$/

/** Lists, generated tables, decisions, and texts of which the first screen is a table of addresses or a choice. */
const WITHOUT_A_FIRST_BLOCK =
  /^docs\/(decisions\/.*|glossary|performance-results|tools|gateway|claude-agent-sdk)\.md$|^(packages|clients)\/|CHANGELOG|README/

test('every page begins with a block that can be tried', () => {
  const files = new Set(blocks.map(block => block.file))
  const late = listPages()
    .map(sourceOf)
    .filter(file => !WITHOUT_A_FIRST_BLOCK.test(file))
    .filter(file => !files.has(file) || !/^```/m.test(readBeginning(file)))
  expect(late).toEqual([])
})

/** The text before the first section. */
const readBeginning = (file: string): string => readFileSync(join(ROOT, file), 'utf8').split(/^## /m)[0] ?? ''

test('at most 30 blocks are not run, each with its reason', () => {
  // These are: in an empty folder, with the packed packages.
  const followed = 'followed by npm run test:pack'
  const marked = blocks.filter(({ notRun }) => notRun !== undefined && notRun !== followed)
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

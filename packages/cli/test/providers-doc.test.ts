/** Every configuration of docs/providers.md and docs/providers can be used as it is. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Validator } from '@cfworker/json-schema'
import { expect, test } from 'vitest'
import { configJsonSchema, readConfig } from '../src/config.ts'
import { openProviderBook } from '../src/provider-keys/provider-book.ts'
import { inFolder } from './launch.ts'

const DOCS = new URL('../../../docs/', import.meta.url)
const PAGES = ['providers.md', ...readdirSync(new URL('providers/', DOCS)).map(name => `providers/${name}`)]
const pages = PAGES.map(name => ({ name, text: readFileSync(new URL(name, DOCS), 'utf8') }))
const blocksOf = (text: string): readonly string[] =>
  [...text.matchAll(/```json\n([\s\S]*?)```/g)].map(match => match[1] ?? '')
const blocks = pages.flatMap(({ text }) => blocksOf(text))

test.for(blocks)('%s', async block => {
  await inFolder(async dir => {
    writeFileSync(join(dir, 'toolwire.config.json'), block)
    const { providers } = readConfig({ flags: {}, env: {}, cwd: dir })
    const names = openProviderBook({ data: dir, env: {}, providers })
      .entries()
      .map(({ name }) => name)
    expect(new Set(names)).toEqual(
      new Set(['anthropic', 'openai', ...Object.keys(JSON.parse(block).providers)]),
    )
    expect(new Validator(configJsonSchema(), '2020-12').validate(JSON.parse(block)).errors).toEqual([])
  })
})

test.for(pages.slice(1))('$name has a configuration, and marks every other block', ({ text }) => {
  expect(blocksOf(text).length).toBeGreaterThan(0)
  const fences = [...text.matchAll(/^```(\S.*)$/gm)].map(match => match[1] ?? '')
  for (const fence of fences) expect(fence).toMatch(/^(json$|\w+ not run: \w)/)
})

test('the page has an example of every API', () => {
  for (const api of ['anthropic', 'openai-chat', 'openai-responses', 'ai-sdk'])
    expect(blocks.join('')).toContain(`"api": "${api}"`)
})

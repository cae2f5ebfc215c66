/** Every configuration of docs/providers.md can be used as it is. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Validator } from '@cfworker/json-schema'
import { expect, test } from 'vitest'
import { configJsonSchema, readConfig } from '../src/config.ts'
import { openProviderBook } from '../src/provider-keys/provider-book.ts'
import { inFolder } from './launch.ts'

const page = readFileSync(new URL('../../../docs/providers.md', import.meta.url), 'utf8')
const blocks = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(match => match[1] ?? '')

test.for(blocks)('%s', async block => {
  await inFolder(async dir => {
    writeFileSync(join(dir, 'toolwire.config.json'), block)
    const { providers } = readConfig({ flags: {}, env: {}, cwd: dir })
    const names = openProviderBook({ data: dir, env: {}, providers })
      .entries()
      .map(({ name }) => name)
    expect(names).toEqual(['anthropic', 'openai', ...Object.keys(JSON.parse(block).providers)])
    expect(new Validator(configJsonSchema(), '2020-12').validate(JSON.parse(block)).errors).toEqual([])
  })
})

test('the page has an example of every API', () => {
  for (const api of ['anthropic', 'openai-chat', 'openai-responses', 'ai-sdk'])
    expect(blocks.join('')).toContain(`"api": "${api}"`)
})

/** Configuration with random wounds, from every source: a configuration, or one sentence about what is wrong. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bombed } from '../../core/test/bombs.ts'
import { fuzzing, mutatedJson, mutatedText } from '../../core/test/mutate.ts'
import { readConfig } from '../src/config.ts'
import { ExitError } from '../src/exit.ts'
import { keyFilePath } from '../src/provider-keys/key-file.ts'
import { openProviderBook } from '../src/provider-keys/provider-book.ts'

const CONFIG = {
  port: 8000,
  host: '127.0.0.1',
  data: '~/data',
  apiKeys: ['a', 'b'],
  permissions: { allow: ['Bash(ls)'], deny: [{ rule: 'Read(x)', match: ['x'] }] },
  mcpServers: { a: { command: 'x' } },
  agents: { maxDepth: 2, types: { a: { description: 'd', system: 's', tools: ['Read'] } } },
  sandbox: { network: false, writable: ['/tmp'] },
  hooks: { before_tool: [{ command: 'x' }] },
  media: { count: 1 },
  memory: true,
  providers: {
    openai: { key: ['A_KEY', { file: '~/key' }], models: { m: { context: 1 } } },
    local: { api: 'openai-chat', baseUrl: 'http://127.0.0.1:1/v1', headers: { x: { env: 'B_KEY' } } },
  },
  demoPaceMs: 1,
}

let cwd = ''
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'toolwire-fuzz-'))
})
afterAll(() => rm(cwd, { recursive: true, force: true }))

async function expectReadOrRefused(file: string, env: Record<string, string> = {}): Promise<void> {
  await writeFile(join(cwd, 'toolwire.config.json'), file)
  try {
    const { port, data } = readConfig({ flags: {}, env, cwd })
    expect([Number.isSafeInteger(port), data.startsWith('/')]).toEqual([true, true])
  } catch (error) {
    expect(error).toBeInstanceOf(ExitError)
    expect((error as Error).message).not.toBe('')
  }
}

test('a file of damaged text is read, or refused in a sentence', async () => {
  await fc.assert(
    fc.asyncProperty(mutatedText([JSON.stringify(CONFIG)]), text => expectReadOrRefused(text)),
    fuzzing(200),
  )
})

test('a file with other values is read, or refused in a sentence', async () => {
  await fc.assert(
    fc.asyncProperty(mutatedJson([CONFIG]), value => expectReadOrRefused(JSON.stringify(value) ?? '')),
    fuzzing(500),
  )
})

test('a file with a bomb in it is read, or refused in a sentence', async () => {
  await fc.assert(
    fc.asyncProperty(bombed([CONFIG]), text => expectReadOrRefused(text)),
    fuzzing(40),
  )
})

test('variables with any text are read, or refused in a sentence', async () => {
  const name = fc.constantFrom(
    'TOOLWIRE_PORT',
    'TOOLWIRE_API_KEYS',
    'TOOLWIRE_SANDBOX',
    'TOOLWIRE_DEMO_PACE_MS',
  )
  await fc.assert(
    fc.asyncProperty(name, mutatedText(['80', 'a,b', 'on', '1']), (variable, text) =>
      expectReadOrRefused('{}', { [variable]: text }),
    ),
    fuzzing(300),
  )
})

test.for(['constructor', 'toString', '__proto__'])('a setting that is called %s is not known', async name => {
  await writeFile(join(cwd, 'toolwire.config.json'), `{"${name}":{"a":1}}`)
  expect(() => readConfig({ flags: {}, env: {}, cwd })).toThrow(`unknown setting "${name}"`)
})

test('a list that is an object with a `length` field is rejected in a sentence', () =>
  expectReadOrRefused('{"agents":{"types":{"a":{"description":{"length":{"toString":1}}}}}}'))

test('a file of keys with any damage is read, or rejected in a sentence without a key', async () => {
  const secret = 'sk-ant-0123456789abcdef'
  const file = {
    version: 1,
    providers: {
      anthropic: { key: secret, is_near: true },
      openai: { key: secret, base_url: 'https://a.example/v1', is_near: false, models: ['m'] },
    },
  }
  const wounded = fc.oneof(
    mutatedText([JSON.stringify(file)]),
    mutatedJson([file]).map(value => JSON.stringify(value) ?? ''),
    bombed([file]),
  )
  await fc.assert(
    fc.asyncProperty(wounded, async text => {
      await writeFile(keyFilePath(cwd), text)
      try {
        for (const { keys } of openProviderBook({ data: cwd, env: {} }).entries())
          for (const key of keys.keys) expect(typeof key).toBe('string')
      } catch (error) {
        expect(error).toBeInstanceOf(ExitError)
        expect((error as Error).message).not.toContain('0123456789')
      }
    }),
    fuzzing(400),
  )
})

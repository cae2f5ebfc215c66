/** The workspace for people: the rules of LS and Read, no links, no way out. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '@toolwire/core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createBuiltinTools } from '../src/builtin/builtin-tools.ts'
import { createToolSystem } from '../src/create-tool-system.ts'
import { createFileBrowser } from '../src/files/browse-files.ts'
import { createStage, type Stage } from './stage.ts'

let stage: Stage
beforeEach(() => {
  stage = createStage({ tools: createBuiltinTools() })
})
afterEach(() => stage.close())

const settings = { permissions: { rules: { deny: ['Read(secret/**)', 'Read(*.pem)'] } } }

function open() {
  const system = createToolSystem({
    tools: createBuiltinTools(),
    artifacts: join(stage.dir, 'artifacts'),
    ...settings,
  })
  const browser = createFileBrowser(system.explain)
  const request = (path: string) => ({ session_id: 'ses_1', session: stage.state(), path })
  return {
    list: (path = '', after?: string) => browser.list(request(path), after),
    find: (path: string) => browser.find(request(path)),
  }
}

const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'found',
    (error: unknown) => (AppError.is(error) ? error.code : error),
  )

test('folders come first, links are named and not followed, denied files carry their reason', async () => {
  mkdirSync(stage.path('src'))
  writeFileSync(stage.path('a.txt'), 'hello')
  writeFileSync(stage.path('key.pem'), 'private')
  symlinkSync('/etc', stage.path('out'))
  const { entries, next, truncated } = await open().list()
  expect(entries.map(({ name, kind }) => [name, kind])).toEqual([
    ['src', 'directory'],
    ['a.txt', 'file'],
    ['key.pem', 'file'],
    ['out', 'link'],
  ])
  expect(entries[1]).toMatchObject({ bytes: 5 })
  expect(entries[1]).not.toHaveProperty('denied')
  expect(entries[2]?.denied).toContain('Read(*.pem)')
  expect({ next, truncated }).toEqual({ next: null, truncated: false })
})

test('nothing outside of the workspace, behind a link or denied by a rule can be listed or found', async () => {
  mkdirSync(stage.path('secret'))
  writeFileSync(stage.path('secret/a.txt'), 'private')
  writeFileSync(stage.path('key.pem'), 'private')
  symlinkSync('/etc', stage.path('out'))
  symlinkSync(stage.path('secret/a.txt'), stage.path('inner.txt'))
  const { list, find } = open()
  for (const path of ['..', '../', 'src/../..', '/etc', 'out', 'a\\b', 'a\0b', 'missing'])
    expect([path, await codeOf(list(path))]).toEqual([path, expect.stringMatching(/^(not_found|forbidden)$/)])
  for (const path of ['../x', '/etc/passwd', './key.pem'])
    expect([path, await codeOf(find(path))]).toEqual([path, 'not_found'])
  for (const path of ['secret/a.txt', 'key.pem', 'out/passwd', 'inner.txt'])
    expect([path, await codeOf(find(path))]).toEqual([path, 'forbidden'])
  expect(await codeOf(list('secret'))).toBe('forbidden')
})

test('a folder of many files is listed in pages without gaps', async () => {
  for (let n = 0; n < 1203; n++) writeFileSync(stage.path(`f${String(n).padStart(4, '0')}`), '')
  const { list } = open()
  const names: string[] = []
  let pages = 0
  for (let after: string | null = ''; after !== null; pages++) {
    const page: Awaited<ReturnType<typeof list>> = await list('', after)
    names.push(...page.entries.map(({ name }) => name))
    after = page.next
  }
  expect(pages).toBe(3)
  expect(names).toEqual(Array.from({ length: 1203 }, (_, n) => `f${String(n).padStart(4, '0')}`))
})

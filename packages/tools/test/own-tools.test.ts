/** Users' own tools: added, changed, broken and fixed while the server runs. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createOwnTools } from '../src/own/own-tools.ts'
import { createStage, textOf } from './stage.ts'

let dir = ''
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'toolwire-own-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const source = (name: string, answer: string): string => `
export const tool = ({ defineTool, z }) => defineTool({
  name: '${name}',
  description: 'test',
  input: z.strictObject({}),
  isReadOnly: () => true,
  async *call() { yield { type: 'result', output_text: '${answer}' } },
})
`
let at = 1_700_000_000
/** Two writes within one tick of the file system's clock must still differ. */
function put(name: string, text: string): string {
  const path = join(dir, name)
  writeFileSync(path, text)
  at += 10
  utimesSync(path, at, at)
  return path
}

test('an added, changed or removed file applies after the next scan', async () => {
  const own = createOwnTools({ paths: [dir] })
  await own.refresh()
  expect(own.tools()).toEqual([])
  put('greet.js', source('Greet', 'hello'))
  await own.refresh()
  const s = createStage({ tools: own.tools, refresh: own.refresh })
  expect(textOf(await s.one('Greet', {}))).toBe('hello')
  put('greet.js', source('Greet', 'good day'))
  await s.system().refresh?.()
  expect(textOf(await s.one('Greet', {}))).toBe('good day')
  rmSync(join(dir, 'greet.js'))
  await own.refresh()
  expect(own.tools()).toEqual([])
  s.close()
})

test('a schema that cannot be sent to a model is reported with its file', async () => {
  put('big.js', source('Big', 'big').replace('z.strictObject({})', 'z.strictObject({ n: z.bigint() })'))
  const own = createOwnTools({ paths: [dir] })
  await own.refresh()
  expect(own.tools()).toEqual([])
  expect(own.problems()).toEqual([expect.stringMatching(/big\.js cannot be used: .*BigInt/)])
})

test('a broken file is reported once and leaves everything else, and its own earlier version, as it was', async () => {
  const told: string[] = []
  put('good.js', source('Good', 'good'))
  const path = put('other.js', source('Other', 'first'))
  const own = createOwnTools({ paths: [dir], onProblem: problem => told.push(problem) })
  await own.refresh()
  put('other.js', 'export const tool = (')
  await own.refresh()
  await own.refresh()
  expect(own.tools().map(tool => tool.name)).toEqual(['Good', 'Other'])
  expect(told).toHaveLength(1)
  expect(told[0]).toContain(path)
  expect(own.problems()).toEqual(told)
  put('other.js', source('Other', 'second'))
  await own.refresh()
  expect(own.problems()).toEqual([])
})

describe('files that are no tools', () => {
  test.each([
    ['nothing', 'export const x = 1', /exports neither tool nor tools/],
    ['a plain object', 'export const tool = { name: "A" }', /defineTool/],
    ['a bad name', source('has space', 'x'), /not letters/],
    ["an MCP server's name", source('mcp__a__b', 'x'), /MCP/],
    ['a throwing function', 'export const tool = () => { throw new Error("no luck") }', /no luck/],
  ])('%s is named in the problem', async (_, text, problem) => {
    const own = createOwnTools({ paths: [put('bad.js', text)] })
    await own.refresh()
    expect(own.tools()).toEqual([])
    expect(own.problems()[0]).toMatch(problem)
  })

  test('a file that is not there yet is reported, and used when it comes', async () => {
    const own = createOwnTools({ paths: [join(dir, 'late.js')] })
    await own.refresh()
    expect(own.problems()[0]).toMatch(/no such file/)
    put('late.js', source('Late', 'here'))
    await own.refresh()
    expect(own.tools().map(tool => tool.name)).toEqual(['Late'])
  })

  test('tests and type files in a folder are left alone', async () => {
    put('a.test.ts', 'throw new Error()')
    put('a.d.ts', '')
    mkdirSync(join(dir, 'sub'))
    const own = createOwnTools({ paths: [dir] })
    await own.refresh()
    expect(own.problems()).toEqual([])
  })
})

test('a file that never finishes loading is reported, and never waited for again', async () => {
  put('a.js', source('Fine', 'fine'))
  put('b.js', 'await new Promise(() => {})')
  const own = createOwnTools({ paths: [dir], load_ms: 20 })
  await own.refresh()
  expect(own.tools().map(tool => tool.name)).toEqual(['Fine'])
  expect(own.problems()).toEqual([expect.stringMatching(/b\.js cannot be used: it has not loaded in 20 ms/)])
})

test('a name that is taken is said, and the one that had it first is used', async () => {
  put('a.js', source('Read', 'mine'))
  const own = createOwnTools({ paths: [dir], taken: () => new Set(['Read']) })
  await own.refresh()
  expect(own.problems()[0]).toMatch(/a tool named Read already/)
})

test('the example of the documentation works verbatim', async () => {
  const doc = readFileSync(fileURLToPath(new URL('../../../docs/own-tools.md', import.meta.url)), 'utf8')
  const code = /```ts\n([\s\S]*?)```/.exec(doc)?.[1] ?? ''
  const own = createOwnTools({ paths: [put('word-count.ts', code)] })
  await own.refresh()
  expect(own.problems()).toEqual([])
  const s = createStage({ tools: own.tools() })
  writeFileSync(s.path('a.txt'), 'one two  three\n')
  expect(textOf(await s.one('WordCount', { file_path: s.path('a.txt') }))).toBe('3 words')
  expect(textOf(await s.one('WordCount', { file_path: s.path('none.txt') }))).toMatch(/cannot be read/)
  s.close()
})

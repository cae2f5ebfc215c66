/** Loops over many names and many patterns, both of which strangers choose, give the event loop to others in between. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { createYield } from '@toolwire/core'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createGlobTool } from '../src/builtin/glob.ts'
import { createLsTool } from '../src/builtin/ls.ts'
import { editorConfigOf } from '../src/files/editorconfig.ts'
import { newFileStyle } from '../src/files/new-file-style.ts'
import { filterOften } from '../src/yield-often.ts'
import { createStage, type Stage } from './stage.ts'

const MANY = 300
let stage: Stage
beforeEach(() => {
  stage = createStage({ tools: [createGlobTool(), createLsTool()] })
})
afterEach(() => {
  vi.restoreAllMocks()
  stage.close()
})

/** How often work gives the event loop away when each of its steps takes longer than it may hold the loop. */
async function yieldsDuring(work: () => Promise<unknown>): Promise<number> {
  let clock = 0
  vi.spyOn(performance, 'now').mockImplementation(() => (clock += 1000))
  const yielded = vi.spyOn(globalThis, 'setImmediate')
  await work()
  const count = yielded.mock.calls.length
  vi.restoreAllMocks()
  return count
}

function fill(): void {
  mkdirSync(stage.path('many'))
  for (let n = 0; n < MANY; n++) writeFileSync(stage.path('many', `a${n}`), 'x')
}

test('a list that leaves entries out', async () => {
  fill()
  const input = { path: stage.path('many'), ignore: [`${'*a'.repeat(30)}*b`] }
  expect(await yieldsDuring(() => stage.one('LS', input))).toBeGreaterThanOrEqual(MANY)
})

test('files that are found by their names', async () => {
  fill()
  const input = { path: stage.path('many'), pattern: '*7' }
  expect(await yieldsDuring(() => stage.one('Glob', input))).toBeGreaterThanOrEqual(MANY)
})

test('sections of .editorconfig and lines of .gitattributes', async () => {
  writeFileSync(stage.path('.editorconfig'), 'root = true\n[*.b]\ncharset = utf-8\n'.repeat(MANY))
  expect(await yieldsDuring(() => editorConfigOf(stage.path('a')))).toBeGreaterThanOrEqual(MANY)
  writeFileSync(stage.path('.editorconfig'), 'root = true\n')
  writeFileSync(stage.path('.gitattributes'), '*.b eol=crlf\n'.repeat(MANY))
  expect(await yieldsDuring(() => newFileStyle(stage.path('a')))).toBeGreaterThanOrEqual(MANY)
})

test('a short loop is not interrupted', async () => {
  vi.spyOn(performance, 'now').mockReturnValue(0)
  expect(createYield()()).toBeUndefined()
  expect(await filterOften([1, 2, 3], one => one !== 2)).toEqual([1, 3])
})

/** The data of results, by the names that people's programs rely on. */
import { writeFileSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { createBuiltinTools } from '../src/builtin/builtin-tools.ts'
import { createStage, type Stage } from './stage.ts'

let stage: Stage | undefined
afterEach(() => {
  stage?.close()
  stage = undefined
})

async function dataOf(
  name: string,
  input: (s: Stage) => unknown,
): Promise<Readonly<Record<string, unknown>>> {
  stage ??= createStage({ tools: createBuiltinTools(), mode: 'bypassPermissions' })
  await stage.one(name, input(stage))
  const done = stage.events('tool.completed').at(-1)
  return (done?.structured ?? {}) as Readonly<Record<string, unknown>>
}

test('Edit returns the patch, the old content and the number of replacements', async () => {
  stage = createStage({ tools: createBuiltinTools(), mode: 'bypassPermissions' })
  writeFileSync(stage.path('a.txt'), 'one\ntwo\nthree\n')
  await dataOf('Read', s => ({ file_path: s.path('a.txt') }))
  const edit = { old_string: 'two', new_string: 'TWO' }
  const data = await dataOf('Edit', s => ({ file_path: s.path('a.txt'), ...edit }))
  expect(data).toMatchObject({
    originalFile: 'one\ntwo\nthree\n',
    replaceAll: false,
    userModified: false,
    structuredPatch: [{ oldStart: 1, newStart: 1, lines: [' one', '-two', '+TWO', ' three'] }],
  })
  expect(data['gitDiff']).toMatch(/^--- a.*\n\+\+\+ b.*\n@@[\s\S]*-two\n\+TWO/m)
})

test('Write returns the patch of the replaced content', async () => {
  await dataOf('Write', s => ({ file_path: s.path('w.txt'), content: 'one\n' }))
  const data = await dataOf('Write', s => ({ file_path: s.path('w.txt'), content: 'two\n' }))
  expect(data).toMatchObject({ structuredPatch: [{ lines: ['-one', '+two'] }], originalFile: 'one\n' })
})

test('Grep and Glob return the total, the shown part, and their duration', async () => {
  stage = createStage({ tools: createBuiltinTools(), mode: 'bypassPermissions' })
  writeFileSync(stage.path('a.txt'), 'hit\nhit\nhit\n')
  const lines = { pattern: 'hit', output_mode: 'content', head_limit: 2, offset: 1 }
  expect(await dataOf('Grep', () => lines)).toMatchObject({
    totalFiles: 1,
    totalLines: 3,
    numShown: 2,
    appliedLimit: 2,
    appliedOffset: 1,
    timedOut: false,
  })
  expect(await dataOf('Glob', () => ({ pattern: '*.txt' }))).toMatchObject({
    filenames: [stage.path('a.txt')],
    numFiles: 1,
    truncated: false,
    totalMatches: 1,
    countIsComplete: true,
    timedOut: false,
    durationMs: expect.any(Number),
  })
})

test('Bash returns the location and size of a long output', async () => {
  const data = await dataOf('Bash', () => ({ command: 'seq 1 20000' }))
  expect(data).toMatchObject({
    exit_code: 0,
    interrupted: false,
    persistedOutputPath: expect.stringMatching(/\.log$/),
    persistedOutputSize: 108_894,
  })
})

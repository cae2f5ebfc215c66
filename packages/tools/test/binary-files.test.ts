/** Files that cannot be shown as text are named with what is known of them, and what to do instead. */
import { writeFileSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { createReadTool } from '../src/builtin/read.ts'
import { codeOf, createStage, type Stage, textOf } from './stage.ts'

let stage: Stage | undefined
afterEach(() => {
  stage?.close()
  stage = undefined
})

async function read(name: string, bytes: readonly number[] | string) {
  stage?.close()
  const s = createStage({ tools: [createReadTool()] })
  stage = s
  writeFileSync(s.path(name), Buffer.from(bytes as readonly number[]))
  return await s.one('Read', { file_path: s.path(name) })
}
const text = (value: string): readonly number[] => [...Buffer.from(value)]

test.each([
  ['a NUL byte', 'a.txt', [...text('plain'), 0, ...text('text')], 'application/octet-stream'],
  [
    'control bytes, more than three in ten',
    'a.txt',
    [1, 2, 3, 4, ...text('abcdefgh')],
    'application/octet-stream',
  ],
  [
    'a name of a binary kind and a control byte',
    'a.mp3',
    [...text('ID3 and more text'), 3],
    'application/octet-stream',
  ],
  ['the first bytes of an archive', 'a.txt', text('PK\x03\x04 and so on'), 'application/zip'],
  ['the first bytes of a program', 'a', text('\x7fELF and so on'), 'application/x-executable'],
  ['the first bytes of a database', 'notes.txt', text('SQLite format 3'), 'application/vnd.sqlite3'],
])('a file with %s is reported with size, kind and what to use', async (_, name, bytes, media) => {
  const call = await read(name, bytes)
  expect(codeOf(call)).toBe('binary_file')
  expect(textOf(call)).toContain(`(${media}, ${bytes.length} bytes)`)
  expect(textOf(call)).toMatch(/Use Bash with file, strings or xxd/)
})

test.each([
  ['colours of a terminal', 'a.log', '\x1b[m'.repeat(20)],
  ['few control bytes', 'a.txt', `${'x'.repeat(20)}\x01\n`],
  ['a name of a binary kind, but text alone', 'a.dat', 'plain text\n'],
  ['no bytes at all', 'a.exe', ''],
])('a file with %s is shown', async (_, name, content) => {
  expect((await read(name, content)).outcome?.is_error).toBe(false)
})

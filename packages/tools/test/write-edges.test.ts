import {
  chmodSync,
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { type FileHandle, open as openFile } from 'node:fs/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { createBuiltinTools } from '../src/builtin/builtin-tools.ts'
import { atomicWrite } from '../src/files/atomic-write.ts'
import { hashOf } from '../src/files/ledger.ts'
import { codeOf, createStage, type Stage, textOf } from './stage.ts'

let stage: Stage | undefined
const open = (mode = 'acceptEdits'): Stage => {
  stage = createStage({ tools: createBuiltinTools(), mode })
  return stage
}
afterEach(() => {
  vi.restoreAllMocks()
  stage?.close()
  stage = undefined
})

test('a directory that is replaced while a write is prepared gets nothing, and neither does the old one', async () => {
  const s = open()
  mkdirSync(s.path('dir'))
  writeFileSync(s.path('dir', 'a.txt'), 'old')
  const beforeCommit = async (): Promise<void> => {
    renameSync(s.path('dir'), s.path('moved'))
    mkdirSync(s.path('dir'))
    writeFileSync(s.path('dir', 'a.txt'), 'old')
  }
  await expect(
    atomicWrite({
      path: s.path('dir', 'a.txt'),
      bytes: Buffer.from('new'),
      expect: hashOf(Buffer.from('old')),
      beforeCommit,
    }),
  ).rejects.toThrow('its directory was replaced')
  for (const dir of ['dir', 'moved']) expect(readFileSync(s.path(dir, 'a.txt'), 'utf8')).toBe('old')
})

test('a mode that the umask would cut is kept', async () => {
  const s = open()
  writeFileSync(s.path('a.txt'), 'old')
  chmodSync(s.path('a.txt'), 0o666)
  await s.one('Read', { file_path: s.path('a.txt') })
  await s.one('Write', { file_path: s.path('a.txt'), content: 'new' })
  expect(statSync(s.path('a.txt')).mode & 0o777).toBe(0o666)
})

test('Write keeps the charset that .editorconfig names for a file whose bytes do not show it', async () => {
  const s = open()
  writeFileSync(s.path('.editorconfig'), 'root = true\n[*.ini]\ncharset = latin1\n')
  // These bytes are as good Chinese as they are French.
  writeFileSync(s.path('a.ini'), Buffer.from('\u00c4\u00e9\u00d6\u00d0', 'latin1'))
  await s.one('Read', { file_path: s.path('a.ini') })
  await s.one('Write', { file_path: s.path('a.ini'), content: '\u00e9t\u00e9' })
  expect(readFileSync(s.path('a.ini'), 'latin1')).toBe('\u00e9t\u00e9')
})

test('a person may change what is written before they allow it, and the result says so', async () => {
  const s = open('default')
  const written = { file_path: s.path('a.txt'), content: 'of the model\n' }
  const call = await s.one('Write', written)
  expect(JSON.stringify(call.approval?.details)).toContain('+of the model')
  s.approve(call, { edited_input_text: JSON.stringify({ ...written, content: 'of a person\n' }) })
  await s.settle()
  expect(readFileSync(s.path('a.txt'), 'utf8')).toBe('of a person\n')
  expect(s.events('tool.completed')[0]?.structured).toMatchObject({ type: 'create', userModified: true })
  const own = await s.one('Write', { file_path: s.path('b.txt'), content: 'x' })
  s.approve(own)
  await s.settle()
  expect(s.events('tool.completed')[1]?.structured).toMatchObject({ userModified: false })
})

test('a file that is gone is not read through a descriptor that still holds it', async () => {
  const s = open('bypassPermissions')
  writeFileSync(s.path('gone.txt'), 'secret')
  const file = openSync(s.path('gone.txt'), 'r')
  try {
    rmSync(s.path('gone.txt'))
    const call = await s.one('Read', { file_path: `/proc/${process.pid}/fd/${file}` })
    expect(codeOf(call)).toBe('not_a_file')
    expect(textOf(call)).toContain('descriptor of a process')
  } finally {
    closeSync(file)
  }
})

test('several places that fit only loosely are refused, also when all are to be replaced', async () => {
  const s = open()
  const text = 'one  \ntwo\nx\none \ntwo\n'
  writeFileSync(s.path('a.txt'), text)
  await s.one('Read', { file_path: s.path('a.txt') })
  const call = { file_path: s.path('a.txt'), old_string: 'one\ntwo', new_string: 'three', replace_all: true }
  expect(codeOf(await s.one('Edit', call))).toBe('many_matches')
  expect(readFileSync(s.path('a.txt'), 'utf8')).toBe(text)
})

test('the error names the copy of the old content when that cannot be brought back', async () => {
  const s = open('bypassPermissions')
  writeFileSync(s.path('a.txt'), 'the old content')
  // Another name for it: it is written in place.
  linkSync(s.path('a.txt'), s.path('b.txt'))
  await s.one('Read', { file_path: s.path('a.txt') })
  await breakDisk(s.path('a.txt'))
  const call = await s.one('Write', { file_path: s.path('a.txt'), content: 'NEW CONTENT' })
  const copies = readdirSync(s.workspace).filter(name => name.endsWith('.bak'))
  expect(copies).toHaveLength(1)
  expect(readFileSync(s.path(copies[0] ?? ''), 'utf8')).toBe('the old content')
  expect(readFileSync(s.path('a.txt'), 'utf8')).toBe('NEW old content')
  expect(call.outcome?.is_error).toBe(true)
  expect(textOf(call)).toContain(`${s.path('a.txt')} was written in part: no more room`)
  expect(textOf(call)).toContain(s.path(copies[0] ?? ''))
})

/** From now on three bytes can be written into open files, and no more. */
async function breakDisk(path: string): Promise<void> {
  const file = await openFile(path)
  const handles = Object.getPrototypeOf(file) as FileHandle
  await file.close()
  const { write } = handles
  let left = 3
  vi.spyOn(handles, 'write').mockImplementation(async function (this: FileHandle, ...given: unknown[]) {
    if (left === 0) throw new Error('no more room')
    const [bytes, at, , position] = given
    const written: unknown = await Reflect.apply(write, this, [bytes, at, left, position])
    left = 0
    return written
  } as FileHandle['write'])
}

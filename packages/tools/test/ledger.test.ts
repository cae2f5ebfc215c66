/** What a session knows of the files it has seen: kept in its log, so that it outlives whatever the log outlives. */
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import type { SessionEvent } from '@toolwire/core'
import { afterEach, expect, test } from 'vitest'
import { createBuiltinTools } from '../src/builtin/builtin-tools.ts'
import { hashOf } from '../src/files/ledger.ts'
import { codeOf, createStage, type Stage, textOf } from './stage.ts'

const stages: Stage[] = []
const open = (session_id = 'ses_1'): Stage => {
  const stage = createStage({ tools: createBuiltinTools(), mode: 'bypassPermissions', session_id })
  stages.push(stage)
  return stage
}
afterEach(() => {
  for (const stage of stages.splice(0)) stage.close()
})
const read = (s: Stage, more: object = {}) => s.one('Read', { file_path: s.path('a.txt'), ...more })
const noted = (s: Stage) => s.records.findLast(({ ev }) => ev.type === 'note' && ev.name.startsWith('file:'))

test('a read file is in the log with all that a later change is checked against', async () => {
  const s = open()
  const text = `\ufeff${Array.from({ length: 30 }, (_, i) => `line ${i + 1}`).join('\r\n')}\r\n`
  writeFileSync(s.path('a.txt'), text)
  await read(s, { offset: 5, limit: 3 })
  await read(s, { offset: 20, limit: 1 })
  const { size, mtimeMs } = statSync(s.path('a.txt'))
  expect(noted(s)).toMatchObject({
    seq: expect.any(Number),
    ev: {
      name: `file:${s.path('a.txt')}`,
      value: {
        sha256: hashOf(Buffer.from(text)),
        size,
        mtime: mtimeMs,
        seen: [
          [5, 7],
          [20, 20],
        ],
        charset: 'utf-8',
        eol: 'crlf',
        bom: true,
      },
    },
  })
})

test('a write is noted as seen, so that no second read is demanded', async () => {
  const s = open()
  await s.one('Write', { file_path: s.path('a.txt'), content: 'one\n' })
  expect(noted(s)?.ev).toMatchObject({
    value: { sha256: hashOf(Buffer.from('one\n')), seen: 'all', eol: 'lf' },
  })
})

const COMPACTED = (replaced: number, more: object): SessionEvent => ({
  type: 'history.compacted',
  ts: '',
  replaced,
  shortened: [],
  ...more,
})

test('what was read may be edited after the history was compacted', async () => {
  const s = open()
  writeFileSync(s.path('a.txt'), 'one\n')
  await read(s)
  s.append(COMPACTED(s.state().messages.length, { summary: 'Something was read.' }))
  s.restart()
  const edited = await s.one('Edit', { file_path: s.path('a.txt'), old_string: 'one', new_string: 'two' })
  expect(edited.outcome?.is_error).toBe(false)
})

test('lines that a compaction took out of the conversation are sent again', async () => {
  const s = open()
  writeFileSync(s.path('a.txt'), 'one\n')
  const first = await read(s)
  expect(textOf(await read(s))).toContain('unchanged since they were read before')
  s.append(COMPACTED(0, { shortened: [first.call_id] }))
  expect(textOf(await read(s))).toBe('     1\tone')
  expect(textOf(await read(s))).toContain('unchanged since they were read before')
  s.append(COMPACTED(s.state().messages.length, { summary: 'Something was read.' }))
  expect(textOf(await read(s))).toBe('     1\tone')
})

test('a forked session knows what was read before the fork, and not what was read after it', async () => {
  const s = open()
  for (const name of ['a.txt', 'b.txt']) writeFileSync(s.path(name), 'one\n')
  await read(s)
  const before = s.records.map(rec => rec.ev)
  await s.one('Read', { file_path: s.path('b.txt') })
  const fork = open('ses_2')
  fork.append(...before)
  const edit = (name: string) =>
    fork.one('Edit', { file_path: s.path(name), old_string: 'one', new_string: 'two' })
  expect((await edit('a.txt')).outcome?.is_error).toBe(false)
  expect(codeOf(await edit('b.txt'))).toBe('not_read')
  expect(readFileSync(s.path('b.txt'), 'utf8')).toBe('one\n')
  // Its source gets the note that its file has changed.
  const stale = await s.one('Write', { file_path: s.path('a.txt'), content: 'mine\n' })
  expect(codeOf(stale)).toBe('stale')
})

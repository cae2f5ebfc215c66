import { expect, test } from 'vitest'
import { toChangedFiles } from '../src/panel/changed-files.ts'
import { csvRows } from '../src/panel/csv-rows.ts'

const PATCH = '--- a\n+++ b\n@@ -1,3 +1,3 @@\n same\n-new one\n-new two\n+old\n end'

test('the diff of an undo is shown the other way round, with removed lines first', () => {
  const [file] = toChangedFiles([{ path: '/w/a', action: 'restored', call_ids: ['c'], diff: PATCH }])
  expect(file).toMatchObject({ added: 2, removed: 1, isNew: false, canUndo: true })
  expect(file?.lines.map(({ type, text, old_line, new_line }) => [type, text, old_line, new_line])).toEqual([
    ['same', 'same', 1, 1],
    ['remove', 'old', 2, undefined],
    ['add', 'new one', undefined, 2],
    ['add', 'new two', undefined, 3],
    ['same', 'end', 3, 4],
  ])
})

test('bytes that are no text have no lines, and files without a change are left out', () => {
  const files = toChangedFiles([
    { path: '/w/a', action: 'removed', call_ids: [], diff: '@@ -1 +0,0 @@\n-\ufffd\0' },
    { path: '/w/b', action: 'unchanged', call_ids: [] },
    { path: '/w/c', action: 'lost', call_ids: [], message: 'gone' },
  ])
  expect(files).toMatchObject([
    { path: '/w/a', lines: [], isNew: true, canUndo: true },
    { path: '/w/c', canUndo: false },
  ])
})

test('rows of a CSV file are read with their quotes', () => {
  expect(csvRows('a,"b,c"\r\n"say ""hi""",\n\nlast,1')).toEqual([
    ['a', 'b,c'],
    ['say "hi"', ''],
    ['last', '1'],
  ])
  expect(csvRows('')).toEqual([])
  expect(csvRows('x\n'.repeat(5000))).toHaveLength(200)
})

/**
 * Texts that strangers make to be slow: each of these keeps code that looks at a character more than a few times busy for
 * minutes, and this code for a moment.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import iconv from 'iconv-lite'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { decode } from '../src/files/charset.ts'
import { editorConfigOf } from '../src/files/editorconfig.ts'
import { findText } from '../src/files/find-text.ts'
import { newFileStyle } from '../src/files/new-file-style.ts'
import { planEdit } from '../src/files/plan-edit.ts'
import { readText } from '../src/files/text-file.ts'
import { whatChanged } from '../src/files/what-changed.ts'
import { gitOperation } from '../src/shell/git-operation.ts'
import { stripAnsi } from '../src/strip-ansi.ts'

const edit = (text: string, old_string: string, new_string = 'x', replace_all = false) =>
  planEdit(Buffer.from(text), { old_string, new_string, replace_all })

describe('a file of the project', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'toolwire-texts-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  test.for([
    ['line breaks', '\n'.repeat(1_000_000)],
    ['blanks inside of a value', `a=b${' '.repeat(1_000_000)}c`],
    ['sections', '[*(*a)b]\n'.repeat(100_000)],
  ])('.editorconfig of %s is read', async ([, text = '']) => {
    writeFileSync(join(folder, '.editorconfig'), `root = true\n[*]\nend_of_line = crlf\n${text}`)
    expect(await editorConfigOf(join(folder, 'a'.repeat(200)))).toEqual({ end_of_line: 'crlf' })
  })

  test('.gitattributes of many patterns is read', async () => {
    writeFileSync(join(folder, '.editorconfig'), 'root = true')
    writeFileSync(join(folder, '.gitattributes'), `${'*(*a)b eol=lf\n'.repeat(4000)}* eol=crlf`)
    expect(await newFileStyle(join(folder, 'a'.repeat(200)))).toMatchObject({ eol: 'crlf' })
  })
})

describe('output of a terminal', () => {
  test.for([
    ['a long line', 'x'.repeat(3_000_000), 3_000_000],
    ['a long line that is overwritten', `${'x'.repeat(3_000_000)}\rdone`, 4],
    ['many overwritten lines', 'x\ry\n'.repeat(500_000), 1_000_000],
    ['escapes without an end', '\u001b]'.repeat(1_000_000), 0],
  ] as const)('%s is stripped', ([, text, length]) => {
    expect(stripAnsi(text)).toHaveLength(length)
  })

  test('what git printed is looked through once', () => {
    expect(gitOperation('git commit', '[a (\n'.repeat(400_000))).toEqual({ operation: 'commit' })
  })
})

test('a character of several bytes is decoded once, however often it occurs', () => {
  const decoded = vi.spyOn(iconv, 'decode')
  try {
    const text = decode(Buffer.from([0xd6, 0xd0, 0x41].flatMap(byte => Array(100_000).fill(byte))), {
      name: 'gb18030',
      bom: 0,
    })
    expect(text.length).toBeGreaterThan(100_000)
    expect(decoded.mock.calls.length).toBeLessThan(10)
  } finally {
    decoded.mockRestore()
  }
})

test('a text is found among its likes', () => {
  const text = 'a'.repeat(2_000_000)
  const half = 'a'.repeat(250_000)
  expect([...findText(text, `${half}b${half}`)]).toEqual([])
  expect([...findText(`${text}b${half}`, `${half}b${half}`)]).toEqual([1_750_000])
})

describe('an edit', () => {
  test('of lines that are almost in a file of many equal ones is refused', () => {
    const plan = edit('a \n'.repeat(400_000), `${'a\n'.repeat(200_000)}b`)
    expect(plan).toMatchObject({ ok: false, problem: { code: 'no_match' } })
  })

  test('finds lines that lie among many equal ones', () => {
    const plan = edit(`${'a \n'.repeat(300_000)}b\n`, `${'a\n'.repeat(200_000)}b\n`, 'x\n')
    expect(plan).toMatchObject({
      ok: true,
      edit: { step: 'trailing blanks', lines: [[100_001, 300_001, 1]] },
    })
  })

  test('of a letter under thousands of accents is refused', () => {
    const plan = edit(`a${'\u0315'.repeat(200_000)}${'\u0300'.repeat(200_000)}\nb`, 'nothing like it')
    expect(plan).toMatchObject({ ok: false, problem: { code: 'no_match' } })
  })

  test('of blanks is checked for omissions', () => {
    expect(edit('a', 'a', ' '.repeat(200_000))).toMatchObject({ ok: true })
    expect(edit('a', 'a', `${' '.repeat(200_000)}// ... rest of the code`)).toMatchObject({
      ok: false,
      problem: { code: 'omission' },
    })
  })

  test('replaces many texts of one long line', () => {
    const plan = edit('é,'.padEnd(800, 'é').repeat(10_000), ',', ';', true)
    expect(plan).toMatchObject({ ok: true, edit: { count: 10_000 } })
  })

  test('replaces many texts of one long line in a file of mixed line ends', () => {
    const plan = edit(`a\r\nb\n${'é,'.padEnd(900, 'é').repeat(8_000)}`, ',', ';', true)
    expect(plan).toMatchObject({ ok: true, edit: { count: 8_000 } })
  })

  test('of more texts than can be replaced is refused', () => {
    expect(edit('a'.repeat(20_000), 'a', 'b', true)).toMatchObject({
      ok: false,
      problem: { code: 'many_matches' },
    })
  })

  test('that would make a file of gigabytes is refused', () => {
    expect(edit('a,'.repeat(9_000), 'a', 'b'.repeat(1_000_000), true)).toMatchObject({
      ok: false,
      problem: { code: 'too_large' },
    })
  })
})

test('files too large to be compared are not', () => {
  const text = 'a\n'.repeat(4_000_000)
  expect(whatChanged(Buffer.from(text), Buffer.from(`${text}b`), undefined)).toBeUndefined()
})

test('line breaks of both kinds are distinguished in a large file', () => {
  const { view, eol, eolAt } = readText(Buffer.from('\r\n\n'.repeat(100_000)))
  expect([view.length, eol, eolAt(0), eolAt(1), eolAt(199_998)]).toEqual([
    200_000,
    'mixed',
    '\r\n',
    '\n',
    '\r\n',
  ])
})

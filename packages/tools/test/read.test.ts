import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { homedir } from 'node:os'
import type { ToolContext } from '@toolwire/core'
import iconv from 'iconv-lite'
import { afterEach, describe, expect, test } from 'vitest'
import { createBuiltinTools } from '../src/builtin/builtin-tools.ts'
import { createLsTool } from '../src/builtin/ls.ts'
import { readPage } from '../src/files/read-page.ts'
import { resolvePath } from '../src/files/resolve-path.ts'
import { WHOLE_FILE } from '../src/safe-files/open-file.ts'
import { codeOf, createStage, type Stage, textOf } from './stage.ts'

let stage: Stage | undefined
const open = (mode = 'bypassPermissions'): Stage => {
  stage = createStage({ tools: createBuiltinTools(), mode })
  return stage
}
afterEach(() => {
  stage?.close()
  stage = undefined
})
const read = (s: Stage, file: string, more: object = {}) =>
  s.one('Read', { file_path: s.path(file), ...more })

describe('text', () => {
  test('comes with line numbers', async () => {
    const s = open()
    writeFileSync(s.path('a.txt'), 'one\ntwo\n')
    expect(textOf(await read(s, 'a.txt'))).toBe('     1\tone\n     2\ttwo')
  })

  test('is paged by 2,000 lines, with the line to continue at', async () => {
    const s = open()
    writeFileSync(s.path('a.txt'), Array.from({ length: 4500 }, (_, i) => `l${i + 1}`).join('\n'))
    expect(textOf(await read(s, 'a.txt'))).toContain('[Lines 1-2000 of 4500; next offset=2001]')
    const last = textOf(await read(s, 'a.txt', { offset: 4499, limit: 10 }))
    expect(last).toBe('  4499\tl4499\n  4500\tl4500')
  })

  test('is paged when it is more than the model can take, instead of refused', async () => {
    const s = open()
    writeFileSync(s.path('a.txt'), `${'x'.repeat(1000)}\n`.repeat(1000))
    const text = textOf(await read(s, 'a.txt'))
    expect(text.length).toBeLessThan(101_000)
    expect(text).toMatch(/\[Lines 1-99 of 1000; next offset=100\]/)
    expect(s.events('tool.completed')[0]?.structured).toMatchObject({ truncatedByTokenCap: true })
  })

  test('over-long lines are cut and say how long they are', async () => {
    const s = open()
    writeFileSync(s.path('a.txt'), 'y'.repeat(5000))
    expect(textOf(await read(s, 'a.txt'))).toContain('… [line truncated, 5000 chars]')
  })

  test('an empty file and an offset beyond the end are reported', async () => {
    const s = open()
    writeFileSync(s.path('a.txt'), '')
    writeFileSync(s.path('b.txt'), 'one\n')
    expect(textOf(await read(s, 'a.txt'))).toContain('exists but is empty')
    expect(textOf(await read(s, 'b.txt', { offset: 5 }))).toContain('has 1 lines')
  })

  test('lines that are still in the conversation are not sent twice', async () => {
    const s = open()
    writeFileSync(s.path('a.txt'), 'one\n')
    await read(s, 'a.txt')
    expect(textOf(await read(s, 'a.txt'))).toContain('unchanged since they were read before')
    writeFileSync(s.path('a.txt'), 'two\n')
    expect(textOf(await read(s, 'a.txt'))).toBe('     1\ttwo')
  })

  test('an old charset is recognised and named', async () => {
    const s = open()
    const text = 'これは文字コードの判定を試すための日本語のファイルです。'
    writeFileSync(s.path('a.txt'), iconv.encode(text, 'shift_jis'))
    expect(textOf(await read(s, 'a.txt'))).toBe(`     1\t${text}\n[Charset: shift_jis]`)
  })

  test('.editorconfig decides where the bytes do not', async () => {
    const s = open()
    writeFileSync(s.path('.editorconfig'), 'root = true\n[*.ini]\ncharset = latin1\n')
    writeFileSync(s.path('a.ini'), Buffer.from([0xe9, 0x0a]))
    expect(textOf(await read(s, 'a.ini'))).toContain('é')
  })

  test('a file of gigabytes is paged without being read', async () => {
    const s = open()
    const path = s.path('huge.txt')
    const file = openSync(path, 'w')
    writeSync(file, Array.from({ length: 3000 }, (_, i) => `line ${i + 1}\n`).join(''))
    closeSync(file)
    truncateSync(path, 5 * 1024 ** 3)
    const page = await readPage(path, {
      first: 10,
      limit: 5,
      signal: new AbortController().signal,
    })
    expect(page.lines).toEqual(['line 10', 'line 11', 'line 12', 'line 13', 'line 14'])
    expect(page.total).toBeUndefined()
    expect(WHOLE_FILE).toBeLessThan(5 * 1024 ** 3)
  })

  test('instructions of the directory are attached once', async () => {
    const s = open()
    mkdirSync(s.path('sub'))
    writeFileSync(s.path('sub', 'AGENTS.md'), 'Use tabs.')
    writeFileSync(s.path('sub', 'a.txt'), 'a')
    writeFileSync(s.path('sub', 'b.txt'), 'b')
    expect(textOf(await read(s, 'sub/a.txt'))).toContain('Use tabs.')
    expect(textOf(await read(s, 'sub/b.txt'))).not.toContain('Use tabs.')
  })
})

describe('other files', () => {
  test('a notebook comes as its cells with their ids and outputs', async () => {
    const s = open()
    const output = { output_type: 'stream', name: 'stdout', text: ['4\n'] }
    const cell = { cell_type: 'code', id: 'sum', metadata: {}, execution_count: 1 }
    const cells = [{ ...cell, source: ['2 + 2'], outputs: [output] }]
    const notebook = { cells, metadata: {}, nbformat: 4, nbformat_minor: 5 }
    writeFileSync(s.path('a.ipynb'), JSON.stringify(notebook))
    expect(textOf(await read(s, 'a.ipynb'))).toBe(
      '<cell id="sum" type="code" lang="python">\n2 + 2\n</cell>\n<output type="stream" name="stdout">\n4\n</output>',
    )
  })

  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )

  test('an image comes as one, with its size', async () => {
    const s = open()
    writeFileSync(s.path('a.dat'), png)
    const call = await read(s, 'a.dat')
    expect(textOf(call)).toContain('image, 1x1')
    expect(call.outcome?.content[0]).toMatchObject({ type: 'image', source: { media_type: 'image/png' } })
  })

  test('svg is text', async () => {
    const s = open()
    writeFileSync(s.path('a.svg'), '<svg/>')
    expect(textOf(await read(s, 'a.svg'))).toContain('<svg/>')
  })

  test('binary data is named with size and kind, not shown', async () => {
    const s = open()
    writeFileSync(s.path('a.bin'), Buffer.from([1, 0, 2, 0, 0, 3]))
    const call = await read(s, 'a.bin')
    expect(codeOf(call)).toBe('binary_file')
    expect(textOf(call)).toContain('6 bytes')
  })

  test('a PDF comes as a document with its text; pages can be chosen', async () => {
    const s = open()
    writeFileSync(s.path('a.pdf'), pdf(['Hello', 'World']))
    const whole = await read(s, 'a.pdf')
    expect(textOf(whole)).toContain('Page 1 of 2')
    expect(textOf(whole)).toContain('Hello')
    expect(whole.outcome?.content[0]?.type).toBe('document')
    const second = textOf(await read(s, 'a.pdf', { pages: '2' }))
    expect(second).toContain('World')
    expect(second).not.toContain('Hello')
    expect(textOf(await read(s, 'a.pdf', { pages: '1-30' }))).toContain('At most 20 pages')
  })

  test('a PDF of many pages needs a choice, and a broken one is called so', async () => {
    const s = open()
    writeFileSync(s.path('a.pdf'), pdf(Array.from({ length: 12 }, (_, i) => `p${i}`)))
    expect(textOf(await read(s, 'a.pdf'))).toContain('has 12 pages')
    writeFileSync(s.path('b.pdf'), '%PDF-1.4 nonsense')
    expect(textOf(await read(s, 'b.pdf'))).toContain('not a readable PDF')
  })

  test('a PDF behind a password is called encrypted', async () => {
    const s = open()
    const key = '00'.repeat(32)
    const lock = `/ID [<00> <00>] /Encrypt << /Filter /Standard /V 1 /R 2 /O <${key}> /U <${key}> /P -4 >>`
    writeFileSync(s.path('a.pdf'), pdf(['Hello']).replace('/Root 1 0 R', `/Root 1 0 R ${lock}`))
    expect(textOf(await read(s, 'a.pdf'))).toContain('is encrypted and needs a password')
  })

  test('a directory is refused with the tool for it', async () => {
    const s = open()
    expect(textOf(await s.one('Read', { file_path: s.workspace }))).toContain('Use LS')
  })

  test('devices and pipes are named and never opened', async () => {
    const s = open()
    expect(textOf(await s.one('Read', { file_path: '/dev/zero' }))).toContain('character device')
    spawnSync('mkfifo', [s.path('pipe')])
    expect(textOf(await read(s, 'pipe'))).toContain('named pipe')
    symlinkSync('/dev/zero', s.path('link'))
    expect(textOf(await read(s, 'link'))).toContain('character device')
    expect(codeOf(await s.one('Read', { file_path: '/proc/self/fd/0' }))).toBe('not_a_file')
  })
})

describe('paths', () => {
  test('relative ones count from the working directory and are echoed', async () => {
    const s = open()
    writeFileSync(s.path('a.txt'), 'x')
    expect(textOf(await s.one('Read', { file_path: 'a.txt' }))).toContain(`[Read ${s.path('a.txt')}]`)
    expect(textOf(await s.one('Read', { file_path: '@a.txt', offset: 1, limit: 1 }))).not.toContain(
      'does not exist',
    )
    expect(resolvePath('~/x', '/w')).toBe(`${homedir()}/x`)
  })

  test('a missing file is answered with names like it', async () => {
    const s = open()
    writeFileSync(s.path('config.ts'), 'x')
    expect(textOf(await read(s, 'config.js'))).toContain(`Did you mean ${s.path('config.ts')}?`)
    expect(textOf(await read(s, 'Config.ts'))).toContain(s.path('config.ts'))
  })

  test('names that macOS writes otherwise are found', async () => {
    const s = open()
    writeFileSync(s.path('Screenshot 9.00\u202fAM.txt'), 'one')
    writeFileSync(s.path('cafe\u0301.txt'), 'two')
    expect(textOf(await read(s, 'Screenshot 9.00 AM.txt'))).toContain('one')
    expect(textOf(await read(s, 'caf\u00e9.txt'))).toContain('two')
    writeFileSync(s.path('Ada\u2019s.txt'), 'three')
    expect(textOf(await read(s, "Ada's.txt"))).toContain('three')
  })

  test('a NUL byte and an endless name are refused', async () => {
    const s = open()
    expect(textOf(await s.one('Read', { file_path: '/a\0b' }))).toContain('NUL')
    expect(textOf(await s.one('Read', { file_path: `/${'a'.repeat(300)}` }))).toContain('255 bytes')
  })

  test('a circle of links is an error, not a hang', async () => {
    const s = open()
    symlinkSync(s.path('b'), s.path('a'))
    symlinkSync(s.path('a'), s.path('b'))
    expect((await read(s, 'a')).outcome?.is_error).toBe(true)
  })
})

describe('LS', () => {
  test('lists a tree in order, top first, with links and directories marked', async () => {
    const s = open()
    mkdirSync(s.path('src', 'deep'), { recursive: true })
    mkdirSync(s.path('node_modules', 'x'), { recursive: true })
    mkdirSync(s.path('__pycache__'))
    writeFileSync(s.path('src', 'deep', 'a.ts'), '')
    writeFileSync(s.path('b.txt'), '')
    writeFileSync(s.path('.hidden'), '')
    symlinkSync('b.txt', s.path('link'))
    const call = await s.one('LS', { path: s.workspace })
    const [tree] = textOf(call).split('\n\n')
    expect(tree).toBe(
      [
        `- ${s.workspace}/`,
        '  - b.txt',
        '  - link -> b.txt',
        '  - node_modules/ (1 entries, not listed)',
        '  - src/',
        '    - deep/',
        '      - a.ts',
      ].join('\n'),
    )
    expect(s.events('tool.completed')[0]?.structured).toMatchObject({ tree, entries: 6 })
    expect(JSON.stringify(s.events('tool.completed')[0]?.structured)).not.toContain('malicious')
  })

  test('stops at 1,000 entries and says so, with everything at the top listed before anything deeper', async () => {
    const s = open()
    mkdirSync(s.path('a'))
    mkdirSync(s.path('b', 'deep'), { recursive: true })
    for (let i = 0; i < 1200; i++) writeFileSync(s.path('b', 'deep', `f${i}`), '')
    writeFileSync(s.path('a', 'near.txt'), '')
    writeFileSync(s.path('z.txt'), '')
    const text = textOf(await s.one('LS', { path: s.workspace }))
    expect(text).toContain('- z.txt')
    expect(text).toContain('- near.txt')
    expect(text).toContain('more than 1000 files')
  })

  test('that is truncated gives what it has', async () => {
    const s = open()
    writeFileSync(s.path('a.txt'), '')
    const context = {
      cwd: s.workspace,
      roots: [s.workspace],
      signal: AbortSignal.abort(),
    } as unknown as ToolContext
    const steps = await Array.fromAsync(createLsTool().call({ path: s.workspace }, context))
    expect(steps).toMatchObject([{ type: 'result', structured: { truncated: true, entries: 0 } }])
  })

  test('shows directories that the project ignores with their number of entries, unless one of them is asked for', async () => {
    const s = open()
    for (const dir of ['out/deep', 'src/out', 'src/made', 'keep']) mkdirSync(s.path(dir), { recursive: true })
    writeFileSync(s.path('.gitignore'), 'out/\n!src/out\n*.log\n')
    writeFileSync(s.path('src', '.gitignore'), 'made\n')
    for (const name of ['out/a.js', 'out/deep/b.js', 'src/out/c.js', 'src/made/d.js', 'keep/e.log'])
      writeFileSync(s.path(name), '')
    const tree = async (path: string): Promise<readonly string[]> =>
      (textOf(await s.one('LS', { path })).split('\n\n')[0] ?? '').split('\n').slice(1)
    expect(await tree(s.workspace)).toEqual([
      '  - keep/',
      '    - e.log',
      '  - out/ (2 entries, not listed)',
      '  - src/',
      '    - made/ (1 entries, not listed)',
      '    - out/',
      '      - c.js',
    ])
    expect(await tree(s.path('out'))).toEqual(['  - a.js', '  - deep/', '    - b.js'])
  })

  test('omits what it is asked to', async () => {
    const s = open()
    writeFileSync(s.path('a.log'), '')
    writeFileSync(s.path('a.txt'), '')
    expect(textOf(await s.one('LS', { path: s.workspace, ignore: ['*.log'] }))).not.toContain('a.log')
  })

  test('a file, a missing path and an unreadable directory are distinguished', async () => {
    const s = open()
    writeFileSync(s.path('a.txt'), '')
    mkdirSync(s.path('locked'))
    chmodSync(s.path('locked'), 0o000)
    expect(codeOf(await s.one('LS', { path: s.path('a.txt') }))).toBe('not_a_directory')
    expect(codeOf(await s.one('LS', { path: s.path('none') }))).toBe('not_found')
    const text = textOf(await s.one('LS', { path: s.workspace }))
    // Root may read everything, so only others see the refusal.
    expect(text).toContain(process.getuid?.() === 0 ? 'locked/' : '(permission denied)')
    chmodSync(s.path('locked'), 0o755)
  })
})

/** A minimal document with one line of text per page. */
function pdf(pages: readonly string[]): string {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${pages.map((_, i) => `${4 + i * 2} 0 R`).join(' ')}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  for (const [i, text] of pages.entries()) {
    const stream = `BT /F1 12 Tf 50 50 Td (${text}) Tj ET`
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents ${5 + i * 2} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
    )
    objects.push(`<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`)
  }
  let text = '%PDF-1.4\n'
  const offsets = objects.map((object, i) => {
    const at = text.length
    text += `${i + 1} 0 obj\n${object}\nendobj\n`
    return at
  })
  const table = offsets.map(at => `${String(at).padStart(10, '0')} 00000 n \n`).join('')
  return `${text}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF`
}

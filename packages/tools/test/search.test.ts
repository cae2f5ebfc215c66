import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import iconv from 'iconv-lite'
import { afterEach, describe, expect, test } from 'vitest'
import { createGlobTool } from '../src/builtin/glob.ts'
import { createGrepTool } from '../src/builtin/grep.ts'
import { splitGlobs } from '../src/search/grep-request.ts'
import type { SearchOptions } from '../src/search/ripgrep.ts'
import { codeOf, createStage, type Stage, textOf } from './stage.ts'

let stage: Stage | undefined
afterEach(() => {
  stage?.close()
  stage = undefined
})

/** Files with a content each; the first is the newest. */
function withFiles(files: Readonly<Record<string, string | Uint8Array>>): Stage {
  stage = createStage({
    tools: [createGlobTool(), createGrepTool()],
    mode: 'bypassPermissions',
  })
  let age = 0
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(stage.path(name)), { recursive: true })
    writeFileSync(stage.path(name), content)
    const time = 1_700_000_000 - age++ * 60
    utimesSync(stage.path(name), time, time)
  }
  return stage
}

const namesIn = (s: Stage, text: string): readonly string[] =>
  text.split('\n').map(line => line.replace(`${s.workspace}/`, ''))

describe('Glob', () => {
  const glob = async (s: Stage, pattern: string, path?: string) => {
    const call = await s.one('Glob', { pattern, ...(path === undefined ? {} : { path }) })
    return namesIn(s, textOf(call))
  }

  test('finds files by pattern, newest first, hidden ones too, but not those of git', async () => {
    const s = withFiles({ 'b.ts': '', 'src/a.ts': '', '.hidden.ts': '', '.git/x.ts': '', 'c.js': '' })
    expect(await glob(s, '**/*.ts')).toEqual(['b.ts', 'src/a.ts', '.hidden.ts'])
    expect(await glob(s, '*.ts')).toEqual(['b.ts', '.hidden.ts'])
    expect(await glob(s, '{b.ts,c.js}')).toEqual(['b.ts', 'c.js'])
    expect(await glob(s, 'src/[ab].ts')).toEqual(['src/a.ts'])
  })

  test('a name that is literally the pattern is found', async () => {
    const s = withFiles({ 'app/[id]/page.tsx': '', 'app/i/page.tsx': '' })
    expect(await glob(s, 'app/[id]/page.tsx')).toEqual(['app/[id]/page.tsx', 'app/i/page.tsx'])
    expect(await glob(s, '**/[id]/*.tsx')).toContain('app/[id]/page.tsx')
  })

  test('ignored files are left out, and mentioned when nothing else matches', async () => {
    const s = withFiles({
      '.gitignore': 'out/\n*.log\n!keep.log\n',
      'out/a.js': '',
      'x.log': '',
      'keep.log': '',
      'sub/.gitignore': 'y.txt\n!wanted.log',
      'sub/y.txt': '',
      'sub/wanted.log': '',
      'y.txt': '',
    })
    expect(await glob(s, '**/*.log')).toEqual(['keep.log', 'sub/wanted.log'])
    expect(await glob(s, '**/y.txt')).toEqual(['y.txt'])
    expect(await glob(s, 'out/*.js')).toEqual(['No files found', '(1 ignored files also match)'])
  })

  test('at most a hundred are shown, with the number of all', async () => {
    const s = withFiles(Object.fromEntries(Array.from({ length: 130 }, (_, i) => [`f${i}.txt`, ''])))
    const found = await glob(s, '*.txt')
    expect(found).toHaveLength(101)
    expect(found[0]).toBe('f0.txt')
    expect(found.at(-1)).toContain('100 of 130; next offset=100')
    const next = namesIn(s, textOf(await s.one('Glob', { pattern: '*.txt', offset: 100 })))
    expect(next).toHaveLength(30)
    expect(next[0]).toBe('f100.txt')
    expect(textOf(await s.one('Glob', { pattern: '*.txt', offset: 200 }))).toBe('No more files: 130 match')
    expect(s.events('tool.completed')[0]?.structured).toMatchObject({
      truncated: true,
      totalMatches: 130,
      numFiles: 100,
    })
  })

  test('links are not followed into circles', async () => {
    const s = withFiles({ 'a.txt': '' })
    symlinkSync(s.workspace, s.path('loop'))
    expect(await glob(s, '**/*.txt')).toEqual(['a.txt'])
  })

  test('absent paths in words count as absent; wrong ones are errors', async () => {
    const s = withFiles({ 'a.txt': '' })
    expect(await glob(s, '*.txt', 'undefined')).toEqual(['a.txt'])
    expect(codeOf(await s.one('Glob', { pattern: '*', path: s.path('a.txt') }))).toBe('not_a_directory')
    expect(codeOf(await s.one('Glob', { pattern: '*', path: s.path('none') }))).toBe('not_found')
    expect(await glob(s, `${s.workspace}/*.txt`)).toEqual(['a.txt'])
  })
})

describe('Grep', () => {
  const grep = async (s: Stage, pattern: string, more: object = {}) => {
    const call = await s.one('Grep', { pattern, ...more })
    return namesIn(s, textOf(call))
  }
  const files = {
    'b.ts': 'alpha\nbeta\nalpha beta\n',
    'src/a.ts': 'x\nALPHA\ny\n',
    'c.md': 'alpha\n',
    '.git/x': 'alpha',
  }

  test('shows the files by default, newest first', async () => {
    const s = withFiles(files)
    expect(await grep(s, 'alpha')).toEqual(['Found 2 files', 'b.ts', 'c.md'])
    expect(await grep(s, 'alpha', { '-i': true })).toEqual(['Found 3 files', 'b.ts', 'src/a.ts', 'c.md'])
    expect(await grep(s, 'nothing')).toEqual(['No files found'])
  })

  test('shows lines with numbers, in the order of paths', async () => {
    const s = withFiles(files)
    expect(await grep(s, 'alpha', { output_mode: 'content' })).toEqual([
      'b.ts:1:alpha',
      'b.ts:3:alpha beta',
      'c.md:1:alpha',
    ])
    expect(await grep(s, 'alpha', { output_mode: 'content', '-n': false, glob: '*.md' })).toEqual([
      'c.md:alpha',
    ])
    expect(await grep(s, 'ALPHA', { output_mode: 'content', '-C': 1 })).toEqual([
      'src/a.ts-1-x',
      'src/a.ts:2:ALPHA',
      'src/a.ts-3-y',
    ])
    expect(await grep(s, 'b[a-z]+', { output_mode: 'content', '-o': true })).toEqual([
      'b.ts:2:beta',
      'b.ts:3:beta',
    ])
    expect(await grep(s, 'zzz', { output_mode: 'content' })).toEqual(['No matches found'])
  })

  test('groups of context are set apart', async () => {
    const s = withFiles({ 'a.txt': 'x\n1\n2\n3\n4\nx\n' })
    expect(await grep(s, 'x', { output_mode: 'content', '-A': 1 })).toEqual([
      'a.txt:1:x',
      'a.txt-2-1',
      '--',
      'a.txt:6:x',
    ])
  })

  test('counts', async () => {
    const s = withFiles(files)
    expect(await grep(s, 'alpha', { output_mode: 'count' })).toEqual(['b.ts:2', 'c.md:1'])
  })

  test('searches a single file when one is named', async () => {
    const s = withFiles(files)
    expect(await grep(s, 'alpha', { path: s.path('c.md') })).toEqual(['Found 1 file', 'c.md'])
  })

  test('globs and types narrow the search', async () => {
    const s = withFiles(files)
    expect(await grep(s, 'alpha', { glob: '*.{ts,js} *.md' })).toEqual(['Found 2 files', 'b.ts', 'c.md'])
    expect(await grep(s, 'alpha', { glob: '!*.md' })).toEqual(['Found 1 file', 'b.ts'])
    expect(await grep(s, 'alpha', { type: 'ts' })).toEqual(['Found 1 file', 'b.ts'])
    expect((await s.one('Grep', { pattern: 'a', type: 'nosuchtype' })).outcome?.is_error).toBe(true)
  })

  test('pages are exact', async () => {
    const s = withFiles({ 'a.txt': Array.from({ length: 10 }, (_, i) => `hit ${i}`).join('\n') })
    const all = await grep(s, 'hit', { output_mode: 'content', head_limit: 0 })
    const pages = []
    for (let offset = 0; offset < 10; offset += 4)
      pages.push(
        ...(await grep(s, 'hit', { output_mode: 'content', head_limit: 4, offset })).filter(line =>
          line.startsWith('a.txt'),
        ),
      )
    expect(pages).toEqual(all)
    expect((await grep(s, 'hit', { output_mode: 'content', head_limit: 4 })).at(-1)).toContain(
      'next offset=4',
    )
  })

  test('patterns may span lines', async () => {
    const s = withFiles(files)
    expect(await grep(s, 'beta.alpha', { multiline: true })).toEqual(['Found 1 file', 'b.ts'])
    expect(await grep(s, 'beta.alpha')).toEqual(['No files found'])
  })

  test('a pattern that is no regular expression is an error with the reason, never an empty result', async () => {
    const s = withFiles(files)
    const call = await s.one('Grep', { pattern: 'a(' })
    expect(call.outcome?.is_error).toBe(true)
    expect(textOf(call)).toContain('regex parse error')
  })

  test('one over-long line spoils nothing', async () => {
    const s = withFiles({ 'a.txt': `${'x'.repeat(3_000_000)} needle\nneedle\n` })
    const lines = await grep(s, 'needle', { output_mode: 'content' })
    expect(lines).toHaveLength(2)
    expect(lines[0]?.length).toBeLessThan(700)
  })

  test('names with colons and line breaks are kept whole', async () => {
    const s = withFiles({ 'a:1:b.txt': 'hit\n', 'new\nline.txt': 'hit\n' })
    const call = await s.one('Grep', { pattern: 'hit', output_mode: 'count' })
    expect(textOf(call)).toContain(`${s.path('a:1:b.txt')}:1`)
    expect(textOf(call)).toContain(`${s.path('new\nline.txt')}:1`)
  })

  test('files in other charsets are searched in theirs', async () => {
    const text = 'これは文字コードの判定を試すための日本語のファイルです。\n二行目\n'
    const s = withFiles({ 'a.txt': iconv.encode(text, 'shift_jis'), 'b.txt': '判定\n' })
    expect(await grep(s, '判定')).toEqual(['Found 2 files', 'a.txt', 'b.txt'])
  })

  test('binary files are passed over', async () => {
    const s = withFiles({ 'a.bin': Buffer.from('\0\0hit'), 'b.txt': 'hit' })
    expect(await grep(s, 'hit')).toEqual(['Found 1 file', 'b.txt'])
  })
})

test('globs are split at blanks and commas, but not inside braces', () => {
  expect(splitGlobs('*.{ts,tsx} *.md,*.js')).toEqual(['*.{ts,tsx}', '*.md', '*.js'])
  expect(splitGlobs(undefined)).toEqual([])
})

test('a search that needs too much memory is repeated without ignore files and large files, and says so', async () => {
  const s = withFiles({ 'a.txt': 'needle\n', 'large.txt': 'needle\n', 'sub/b.txt': '' })
  symlinkSync('/dev/zero', s.path('sub', '.gitignore'))
  // Holes take no room on the disk.
  truncateSync(s.path('large.txt'), 64 * 1024 * 1024 + 1)
  const found = textOf(await s.one('Grep', { pattern: 'needle' }))
  expect(found).toContain(s.path('a.txt'))
  expect(found).not.toContain(s.path('large.txt'))
  expect(found).toMatch(
    /\(Ignore files were not applied and files over 64 MB were left out, because .* memory\.\)/,
  )
})

describe('a search that goes wrong', () => {
  /** A program in place of ripgrep. */
  function standIn(s: Stage, script: string): string {
    const path = `${s.dir}/rg`
    writeFileSync(path, `#!/bin/bash\n${script}\n`)
    chmodSync(path, 0o755)
    return path
  }
  const searching = (s: Stage, options: SearchOptions): Stage => {
    const own = createStage({
      tools: [createGlobTool(options), createGrepTool(options)],
      mode: 'bypassPermissions',
    })
    s.close()
    stage = own
    return own
  }

  test('for lack of threads is retried with one, and nothing is reported twice', async () => {
    const outer = withFiles({})
    const keep = mkdtempSync(`${tmpdir()}/toolwire-rg-`)
    try {
      const path = `${keep}/rg`
      writeFileSync(
        path,
        `#!/bin/bash
[ "$1" = -j1 ] && { printf 'a.ts\\0b.ts\\0'; exit 0; }
printf 'a.ts\\0'; echo 'rg: Resource temporarily unavailable (os error 11)' >&2; exit 2
`,
      )
      chmodSync(path, 0o755)
      const s = searching(outer, { ripgrep: path })
      expect(namesIn(s, textOf(await s.one('Grep', { pattern: 'x' })))).toEqual([
        'Found 2 files',
        'a.ts',
        'b.ts',
      ])
      expect(namesIn(s, textOf(await s.one('Glob', { pattern: '*.ts' })))).toEqual(['a.ts', 'b.ts'])
    } finally {
      rmSync(keep, { recursive: true })
    }
  })

  test('in part keeps its matches and reports the rest', async () => {
    const keep = mkdtempSync(`${tmpdir()}/toolwire-rg-`)
    try {
      const outer = withFiles({})
      const path = standIn(
        { ...outer, dir: keep },
        "printf 'a.ts\\0'; echo 'rg: b: Permission denied' >&2; exit 2",
      )
      const s = searching(outer, { ripgrep: path })
      for (const call of [await s.one('Grep', { pattern: 'x' }), await s.one('Glob', { pattern: '*.ts' })]) {
        expect(call.outcome?.is_error).toBe(false)
        expect(textOf(call)).toMatch(/a\.ts[\s\S]*could not be searched: rg: b: Permission denied/)
      }
    } finally {
      rmSync(keep, { recursive: true })
    }
  })

  test('because the program cannot be started is an error, never an empty list', async () => {
    const s = searching(withFiles({}), { ripgrep: '/nowhere/rg' })
    expect(textOf(await s.one('Grep', { pattern: 'x' }))).toContain('The search failed')
    expect(textOf(await s.one('Glob', { pattern: '*' }))).toContain('The search failed')
  })

  test('by taking too long returns what it has, and that there may be more', async () => {
    const keep = mkdtempSync(`${tmpdir()}/toolwire-rg-`)
    try {
      const outer = withFiles({})
      const path = standIn({ ...outer, dir: keep }, "printf 'a.ts\\0'; exec sleep 1000")
      const s = searching(outer, { ripgrep: path, timeout_ms: 500 })
      const [grep, glob] = [await s.one('Grep', { pattern: 'x' }), await s.one('Glob', { pattern: '*.ts' })]
      for (const call of [grep, glob]) expect(textOf(call)).toMatch(/a\.ts[\s\S]*there may be more/)
      expect(s.events('tool.completed').map(event => event.structured)).toMatchObject([
        { timedOut: true },
        { timedOut: true, countIsComplete: false },
      ])
    } finally {
      rmSync(keep, { recursive: true })
    }
  })

  test('because no binary runs here is an error that names the package', async () => {
    const s = searching(withFiles({ 'a.txt': 'x' }), { find: async () => undefined })
    for (const call of [await s.one('Grep', { pattern: 'x' }), await s.one('Glob', { pattern: '*' })]) {
      expect(codeOf(call)).toBe('not_available')
      expect(textOf(call)).toContain('@vscode/ripgrep')
    }
  })
})

test('paths that are no text are shown with their bytes escaped', async () => {
  const s = withFiles({})
  const name = Buffer.concat([Buffer.from(`${s.workspace}/caf`), Buffer.from([0xe9]), Buffer.from('.txt')])
  writeFileSync(name, 'needle')
  const text = textOf(await s.one('Grep', { pattern: 'needle' }))
  expect(text).toMatch(/caf\\x[eE]9\.txt/)
  expect(text).not.toContain('\ufffd')
})

/** Ripgrep and the search without it give the same answer, or the latter says that it cannot. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readText } from '../src/files/text-file.ts'
import { grepByRipgrep } from '../src/search/grep-by-ripgrep.ts'
import type { GrepAnswer, GrepRequest } from '../src/search/grep-request.ts'
import { ripgrepPath } from '../src/search/ripgrep.ts'
import { toPattern } from '../src/search/ripgrep-pattern.ts'
import { searchText } from '../src/search/search-text.ts'

const FILES: Readonly<Record<string, string>> = {
  'a.txt': 'alpha beta\n\tfoo-bar "quoted" it\'s #1\n中文 word ١٢ é É\nK kelvin K\nend\n',
  'letters.txt': '汉字\n١٢\nÉ\n',
  'crlf.txt': 'one\r\ntwo end\r\nthree\r\n',
  'no-end.txt': 'last line without a line break alpha',
  'empty.txt': '',
  'blank.txt': '\n\n\n',
  'sub/b.ts': 'const a = {x: 1}\nfunction f(a, b) {\n  return a?.b ?? 1\n}\n// TODO: fix\n',
  'sub/deep/c.json': '{"name": "x", "v": [1,2]}\n',
  'long.txt': `${'y'.repeat(600)}alpha\nshort alpha\n`,
  'bom.txt': '\ufeffalpha first\nsecond\n',
}

let dir = ''
let binary = ''
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'toolwire-same-'))
  binary = (await ripgrepPath()) ?? ''
  write(FILES)
})
afterAll(() => {
  rmSync(dir, { recursive: true, force: true })
})

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true })
    writeFileSync(join(dir, name), text)
  }
}

type Way = Partial<GrepRequest>
const WAYS: readonly Way[] = [
  { mode: 'content', before: 1, after: 1 },
  { mode: 'content', only_matching: true },
  { mode: 'count', ignore_case: true },
  { mode: 'content', multiline: true, only_matching: true },
  { mode: 'content', multiline: true, after: 1 },
]

const toRequest = (pattern: string, path: string, way: Way): GrepRequest => ({
  ...{ pattern, path, globs: [], hidden: [], type: undefined, mode: 'content', before: 0, after: 0 },
  ...{ ignore_case: false, only_matching: false, multiline: false, timeout_ms: 60_000 },
  signal: new AbortController().signal,
  ...way,
})

/** As the thread without ripgrep does it, for files that are text. */
function without(request: GrepRequest, names: readonly string[]): GrepAnswer {
  try {
    const pattern = toPattern(request.pattern, request)
    const files = names.flatMap(name => {
      const hits = searchText(readText(readFileSync(join(dir, name))).view, pattern, request)
      return hits ? [{ path: join(dir, name), ...hits }] : []
    })
    return { files, timed_out: false, cut: false }
  } catch (error) {
    return { files: [], timed_out: false, cut: false, problem: String(error) }
  }
}

function show({ files, problem }: GrepAnswer, mode: string): unknown {
  if (problem !== undefined) return 'refused'
  const all = files.map(({ path, count, lines }): [string, unknown] => {
    if (mode === 'count') return [path, count]
    return [path, lines.map(line => line && `${line.number}${line.match ? ':' : '-'}${line.text}`)]
  })
  return all.sort(([a], [b]) => (a < b ? -1 : 1))
}

/** Whether both said the same; not asked of what the one without ripgrep says it does not understand. */
async function compare(pattern: string, path: string, names: readonly string[], way: Way): Promise<void> {
  const request = toRequest(pattern, path, way)
  const mine = without(request, names)
  if (mine.problem?.includes('without ripgrep')) return
  // Of matches without a text ripgrep shows some, some not, and some as the line.
  if (request.only_matching && mine.files.some(file => file.lines.some(line => line?.text === ''))) return
  const theirs = await grepByRipgrep(binary, request)
  expect([pattern, way, show(mine, request.mode)]).toEqual([pattern, way, show(theirs, request.mode)])
}

const PATTERNS = String.raw`
alpha|^alpha$|end$|^$|^\s*$|\bfoo\b|foo\-bar|\"quoted\"|it\'s|\#1|\w+|\d+|\W+|[^a]|.|.*|x{2}|y{3,}|a{2}{3}|a++
(?i)ALPHA|a(?i)L|((?i)AL)pha|(?i:k)|(?P<n>al)pha|(?<n>al)pha|[[:alpha:]]+|[[:^alpha:]&&\S]|[a-z--[aeiou]]|[a&&b]|[]a]|[a[b]]
\p{Han}|\pL+|\P{L}|\p{Greek}|\x41|\x{4e2d}|\u4e2d|[中-文]|\<alpha|alpha\>|\B|k|é|(?i)é|}|]|\{x|\/\/|=\s*\{|a\?\.b|\[1,2\]
(?=a)|(?<!a)b|(a)\1|[a-|(|)|*|{|a{|a{,2}|\q|\e|\cA|[\d-x]|[\b]|(?P=n)|\n|\n\n|a.*\n.*b|(?s).|(?-s).|(?-m)^a|^+|[-a]|[a^]|[.$*]|(|a)|x|
`
  .trim()
  .split('\n')

test('ripgrep is there to compare with', () => {
  expect(binary).not.toBe('')
})

test.each(PATTERNS.map((line, i) => [i + 1, line]))(
  'patterns as people write them find the same (part %i)',
  async (_, line) => {
    const names = Object.keys(FILES)
    // Each alone, and all of them combined in one line; in two of the ways, which alternate.
    const all = [...new Set([...String(line).split('|'), String(line)])].filter(one => one !== '')
    for (const [i, pattern] of all.entries())
      for (const way of [WAYS[i % WAYS.length], WAYS[(i + 2) % WAYS.length]])
        await compare(pattern, dir, names, way ?? {})
  },
)

const piece = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', 'b', ' ', '中', 'K', '-', '#', '"') },
  { weight: 3, arbitrary: fc.constantFrom('.', '\\w', '\\s', '\\d', '\\b', '^', '$', '\\S', '\\W') },
  { weight: 2, arbitrary: fc.constantFrom('[ab]', '[^a]', '[a-c&&b]', '[\\w--a]', '[[:space:]#]', '\\p{L}') },
  { weight: 1, arbitrary: fc.constantFrom('(?i)', '\\-', '\\<', '(?=', '\\1', '[', '{', '}') },
)
const quantifier = fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,2}', '+?')
const term = fc.tuple(piece, quantifier).map(parts => parts.join(''))
const patterns = fc.letrec<{ all: string; one: string }>(tie => ({
  all: fc.array(tie('one'), { minLength: 1, maxLength: 3 }).map(parts => parts.join('')),
  one: fc.oneof(
    { depthSize: 'small' },
    term,
    fc.tuple(tie('all'), tie('all')).map(([a, b]) => `(?:${a}|${b})`),
    fc.tuple(tie('all'), quantifier).map(([a, q]) => `(${a})${q}`),
  ),
})).all
const texts = fc
  .array(fc.constantFrom('a', 'b', 'A', ' ', '\t', '中', 'K', '1', '-', '#', '"', 'é', '\n', '\n'), {
    maxLength: 40,
  })
  .map(parts => parts.join(''))

test('any pattern finds the same in any text', async () => {
  await fc.assert(
    fc.asyncProperty(patterns, texts, fc.constantFrom(...WAYS), async (pattern, text, way) => {
      write({ 'any/t.txt': text })
      await compare(pattern, join(dir, 'any'), ['any/t.txt'], way)
    }),
    { numRuns: 100 },
  )
})

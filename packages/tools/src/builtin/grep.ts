/** Grep: searches file contents with regular expressions. Never silently empty: a failure is reported. */
import type { Tool, ToolContext, ToolStep } from '@toolwire/core'
import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { didYouMean, inspectPath } from '../files/inspect-path.ts'
import { readSubject } from '../files/path-subject.ts'
import { grepByRipgrep } from '../search/grep-by-ripgrep.ts'
import { grepOtherCharsets } from '../search/grep-other-charsets.ts'
import {
  type GrepAnswer,
  type GrepRequest,
  type HitLine,
  MAX_COLUMNS,
  splitGlobs,
} from '../search/grep-request.ts'
import { newestFirst } from '../search/newest-first.ts'
import {
  findRipgrep,
  NO_RIPGREP,
  SEARCH_TIMEOUT_MS,
  type SearchOptions,
  searchTimeWords,
} from '../search/ripgrep.ts'
import { withheldNote } from '../search/withheld-note.ts'

const HEAD_LIMIT = 250
const MAX_CONTEXT = 1_000

const lines = z.number().int().min(0).max(MAX_CONTEXT).optional()
const input = z.strictObject({
  pattern: z.string().min(1).describe('Regular expression of ripgrep; escape literal braces: \\{'),
  path: z.string().optional().describe('File or directory; the working directory by default'),
  glob: z.string().optional().describe('Only files that fit, such as "*.{ts,tsx}"'),
  type: z.string().optional().describe('Only files of a type: js, py, rust …'),
  output_mode: z
    .enum(['files_with_matches', 'content', 'count'])
    .optional()
    .default('files_with_matches')
    .describe('Paths (default), lines, or matches per file'),
  '-A': lines.describe('Lines after each match'),
  '-B': lines.describe('Lines before each match'),
  '-C': lines.describe('Lines around each match'),
  context: lines.meta({ unlisted: true }),
  '-n': z.boolean().optional().default(true).meta({ unlisted: true }),
  '-i': z.boolean().optional().default(false).describe('Ignore case'),
  '-o': z.boolean().optional().default(false).meta({ unlisted: true }),
  head_limit: z
    .number()
    .int()
    .min(0)
    .optional()
    .default(HEAD_LIMIT)
    .describe(`Entries to show; ${HEAD_LIMIT} by default, 0 for all`),
  offset: z.number().int().min(0).optional().default(0).describe('Entries to skip; 0 by default'),
  multiline: z.boolean().optional().default(false).describe('Let patterns span lines'),
})
type GrepInput = z.output<typeof input>

export function createGrepTool(options: SearchOptions = {}): Tool<GrepInput> {
  return defineTool({
    name: 'Grep',
    type: 'builtin',
    description: `Searches file contents with regular expressions. Returns paths by default, newest first; output_mode "content" with -C often answers without a Read. Shows ${HEAD_LIMIT} entries per call (offset gives the next) and ${MAX_COLUMNS} characters of a line. Hidden files are included; files that git ignores are left out unless path is such a folder.`,
    input,
    limits: [
      { name: 'results', value: `${HEAD_LIMIT} unless head_limit says otherwise` },
      { name: 'time', value: searchTimeWords(options) },
      { name: 'line length', value: `${MAX_COLUMNS} characters` },
    ],
    isReadOnly: () => true,
    subject: (call, context) => readSubject(rootOf(call, context), context),
    access: async (call, context) => [
      { key: `tree:${(await inspectPath(rootOf(call, context), context)).path}`, mode: 'read' },
    ],
    async validate(call, context) {
      const found = await inspectPath(rootOf(call, context), context)
      if (found.type === 'problem') return found.problem
      if (found.type !== 'missing') return undefined
      return {
        code: 'not_found',
        message: `Path does not exist: ${found.path}.${await didYouMean(found.path, context)}`,
      }
    },
    call: (call, context) => grep(call, context, options),
    view: ({ pattern, path }) => ({
      title: path ? `${pattern} in ${path}` : pattern,
      kind: 'search',
      body: { pattern },
    }),
  })
}

const rootOf = ({ path }: GrepInput, context: ToolContext): string =>
  path === undefined || path === '' || path === 'undefined' || path === 'null' ? context.cwd : path

async function* grep(call: GrepInput, context: ToolContext, options: SearchOptions): AsyncIterable<ToolStep> {
  const found = await inspectPath(rootOf(call, context), context)
  if (found.type === 'problem') return yield { type: 'failure', ...found.problem }
  const { path } = found
  const { timeout_ms = SEARCH_TIMEOUT_MS } = options
  const request = { ...toRequest(call, path, context), timeout_ms }
  const ripgrep = await findRipgrep(options, path)
  if (!ripgrep) return yield { type: 'failure', ...NO_RIPGREP }
  const answer = await grepOtherCharsets(ripgrep, request, await grepByRipgrep(ripgrep, request))
  if (answer.problem !== undefined && answer.files.length === 0) {
    yield { type: 'failure', code: 'failed', message: explain(answer.problem) }
    return
  }
  const { total, shown } = await toPage(call, answer)
  yield {
    type: 'result',
    output_text: [describe(call, answer, total, shown), ...withheldNote(context, path)].join('\n'),
    structured: {
      mode: call.output_mode,
      totalFiles: answer.files.length,
      ...(call.output_mode === 'content' ? { totalLines: total } : {}),
      numShown: shown.length,
      ...(shown.length < total ? { appliedLimit: call.head_limit, appliedOffset: call.offset } : {}),
      timedOut: answer.timed_out,
      ...(answer.problem === undefined ? {} : { problem: answer.problem }),
    },
  }
}

function toRequest(
  call: GrepInput,
  path: string,
  { signal, hidden = [], withheld }: ToolContext,
): Omit<GrepRequest, 'timeout_ms'> {
  const around = call['-C'] ?? call.context ?? 0
  return {
    pattern: call.pattern,
    path,
    globs: splitGlobs(call.glob),
    hidden,
    isWithheld: file => withheld?.has(file) ?? false,
    type: call.type,
    mode: call.output_mode,
    before: call['-B'] ?? around,
    after: call['-A'] ?? around,
    ignore_case: call['-i'],
    only_matching: call['-o'],
    multiline: call.multiline,
    signal,
  }
}

/** One line of the answer each, in an order that paging can rely on. Only those that are shown are written out. */
async function toPage(
  call: GrepInput,
  { files }: GrepAnswer,
): Promise<{ readonly total: number; readonly shown: readonly string[] }> {
  const page = <T>(items: readonly T[]): readonly T[] =>
    items.slice(call.offset, call.head_limit === 0 ? undefined : call.offset + call.head_limit)
  if (call.output_mode === 'files_with_matches') {
    const paths = await newestFirst(files.map(file => file.path))
    return { total: paths.length, shown: page(paths) }
  }
  const sorted = [...files].sort((a, b) => (a.path < b.path ? -1 : 1))
  if (call.output_mode === 'count')
    return { total: sorted.length, shown: page(sorted).map(file => `${file.path}:${file.count}`) }
  const lines = sorted.flatMap(file => file.lines.map(line => ({ path: file.path, line })))
  return { total: lines.length, shown: page(lines).map(({ path, line }) => toLine(call, path, line)) }
}

function toLine(call: GrepInput, path: string, line: HitLine | undefined): string {
  if (!line) return '--'
  const mark = line.match ? ':' : '-'
  return call['-n'] ? `${path}${mark}${line.number}${mark}${line.text}` : `${path}${mark}${line.text}`
}

function describe(call: GrepInput, answer: GrepAnswer, total: number, shown: readonly string[]): string {
  const none = call.output_mode === 'files_with_matches' ? 'No files found' : 'No matches found'
  const what = call.output_mode === 'content' ? 'lines' : 'files'
  const notes = [
    ...(shown.length < total
      ? [
          `(Showing ${shown.length} of ${total} ${what}, from ${call.offset + 1}; next offset=${call.offset + shown.length})`,
        ]
      : []),
    ...(answer.timed_out ? ['(The search was stopped at its time limit; there may be more.)'] : []),
    ...(answer.cut ? ['(Too much was found to show all of it; narrow the search.)'] : []),
    ...(answer.problem === undefined ? [] : [`(Parts could not be searched: ${answer.problem})`]),
    ...(answer.note === undefined ? [] : [`(${answer.note})`]),
  ]
  const head =
    total === 0
      ? [none]
      : call.output_mode === 'files_with_matches'
        ? [`Found ${total} ${total === 1 ? 'file' : 'files'}`]
        : []
  return [...head, ...shown, ...notes].join('\n')
}

function explain(problem: string): string {
  const hint = /regex parse error/.test(problem)
    ? '\nEscape characters that have a meaning, such as \\{ \\( \\[.'
    : ''
  return `The search failed: ${problem}${hint}`
}

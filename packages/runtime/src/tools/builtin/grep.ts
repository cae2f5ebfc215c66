/** Grep: searches file contents with regular expressions. Never silently empty: a failure is told. */
import type { Tool, ToolContext, ToolStep } from '@toolwire/core'
import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { didYouMean, examine } from '../files/examine.ts'
import { grepByRipgrep } from '../search/grep-by-ripgrep.ts'
import { grepByWalk } from '../search/grep-by-walk.ts'
import { grepOtherCharsets } from '../search/grep-other-charsets.ts'
import { type GrepAnswer, type GrepRequest, splitGlobs } from '../search/grep-request.ts'
import { newestFirst } from '../search/newest-first.ts'
import { findRipgrep, SEARCH_TIMEOUT_MS, type SearchOptions, searchTimeWords } from '../search/ripgrep.ts'

const HEAD_LIMIT = 250
const MAX_CONTEXT = 1_000

const lines = z.number().int().min(0).max(MAX_CONTEXT).optional()
const input = z.strictObject({
  pattern: z.string().min(1).describe('Regular expression (ripgrep syntax)'),
  path: z.string().optional().describe('File or directory to search; the working directory when absent'),
  glob: z.string().optional().describe('Only files that fit, such as "*.{ts,tsx}"'),
  type: z.string().optional().describe('Only files of this type: js, py, rust, go …'),
  output_mode: z.enum(['files_with_matches', 'content', 'count']).optional().default('files_with_matches'),
  '-A': lines.describe('Lines to show after each match'),
  '-B': lines.describe('Lines to show before each match'),
  '-C': lines.describe('Lines to show around each match'),
  context: lines.describe('The same as -C'),
  '-n': z.boolean().optional().default(true).describe('Show line numbers'),
  '-i': z.boolean().optional().default(false).describe('Ignore case'),
  '-o': z.boolean().optional().default(false).describe('Show only what matched'),
  head_limit: z
    .number()
    .int()
    .min(0)
    .optional()
    .default(HEAD_LIMIT)
    .describe('How many lines or files to show; 0 for all'),
  offset: z.number().int().min(0).optional().default(0).describe('How many to skip'),
  multiline: z
    .boolean()
    .optional()
    .default(false)
    .describe('Let patterns span lines, and . match line breaks'),
})
type Input = z.output<typeof input>

export function createGrepTool(options: SearchOptions = {}): Tool<Input> {
  return defineTool({
    name: 'Grep',
    type: 'builtin',
    description:
      'Searches file contents with regular expressions. Shows file names by default; output_mode "content" shows lines. Files that git ignores are left out.',
    input,
    limits: [
      { name: 'results', value: `${HEAD_LIMIT} unless head_limit says otherwise` },
      { name: 'time', value: searchTimeWords(options) },
      { name: 'line length', value: '500 characters' },
    ],
    isReadOnly: () => true,
    subject: async (call, context) => ({
      type: 'path',
      path: (await examine(rootOf(call, context), context)).path,
      write: false,
    }),
    access: async (call, context) => [
      { key: `tree:${(await examine(rootOf(call, context), context)).path}`, mode: 'read' },
    ],
    async validate(call, context) {
      const found = await examine(rootOf(call, context), context)
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

const rootOf = ({ path }: Input, context: ToolContext): string =>
  path === undefined || path === '' || path === 'undefined' || path === 'null' ? context.cwd : path

async function* grep(call: Input, context: ToolContext, options: SearchOptions): AsyncIterable<ToolStep> {
  const { path } = await examine(rootOf(call, context), context)
  const { timeout_ms = SEARCH_TIMEOUT_MS } = options
  const request = { ...toRequest(call, path, context), timeout_ms }
  const binary = await findRipgrep(options)
  const answer =
    binary === undefined
      ? await grepByWalk(request)
      : await grepOtherCharsets(binary, request, await grepByRipgrep(binary, request))
  if (answer.problem !== undefined && answer.files.length === 0) {
    yield { type: 'failure', code: 'failed', message: explain(answer.problem) }
    return
  }
  const items = await toItems(call, answer)
  const end = call.head_limit === 0 ? items.length : call.offset + call.head_limit
  const shown = items.slice(call.offset, end)
  yield {
    type: 'result',
    output_text: describe(call, answer, items.length, shown),
    structured: {
      mode: call.output_mode,
      totalFiles: answer.files.length,
      ...(call.output_mode === 'content' ? { totalLines: items.length } : {}),
      numShown: shown.length,
      ...(shown.length < items.length ? { appliedLimit: call.head_limit, appliedOffset: call.offset } : {}),
      timedOut: answer.timed_out,
      ...(answer.problem === undefined ? {} : { problem: answer.problem }),
    },
  }
}

function toRequest(
  call: Input,
  path: string,
  { signal, hidden = [] }: ToolContext,
): Omit<GrepRequest, 'timeout_ms'> {
  const around = call['-C'] ?? call.context ?? 0
  return {
    pattern: call.pattern,
    path,
    globs: splitGlobs(call.glob),
    hidden,
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

/** One line of the answer each, in an order that paging can rely on. */
async function toItems(call: Input, { files }: GrepAnswer): Promise<readonly string[]> {
  if (call.output_mode === 'files_with_matches') return await newestFirst(files.map(file => file.path))
  const sorted = [...files].sort((a, b) => (a.path < b.path ? -1 : 1))
  if (call.output_mode === 'count') return sorted.map(file => `${file.path}:${file.count}`)
  return sorted.flatMap(file =>
    file.lines.map(line => {
      if (!line) return '--'
      const mark = line.match ? ':' : '-'
      return call['-n']
        ? `${file.path}${mark}${line.number}${mark}${line.text}`
        : `${file.path}${mark}${line.text}`
    }),
  )
}

function describe(call: Input, answer: GrepAnswer, total: number, shown: readonly string[]): string {
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

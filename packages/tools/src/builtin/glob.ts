/** Glob: files whose path fits a pattern, newest first. */
import { isAbsolute, join } from 'node:path'
import type { Tool, ToolContext, ToolStep } from '@toolwire/core'
import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { didYouMean, inspectPath } from '../files/inspect-path.ts'
import { readSubject } from '../files/path-subject.ts'
import { type FileList, listFiles } from '../search/list-files.ts'
import { newestFirst } from '../search/newest-first.ts'
import {
  findRipgrep,
  NO_RIPGREP,
  SEARCH_TIMEOUT_MS,
  type SearchOptions,
  searchTimeWords,
} from '../search/ripgrep.ts'
import { withheldNote } from '../search/withheld-note.ts'

const MAX_RESULTS = 100

const input = z.strictObject({
  pattern: z.string().min(1).describe('The glob'),
  path: z.string().optional().describe('Directory; the working directory by default'),
  offset: z.number().int().min(0).optional().default(0).describe('Paths to skip; 0 by default'),
})
type GlobInput = z.output<typeof input>

export function createGlobTool(options: SearchOptions = {}): Tool<GlobInput> {
  return defineTool({
    name: 'Glob',
    type: 'builtin',
    description: `Finds files by their path, such as "src/{a,b}/**/*.ts". Returns absolute paths, newest first, ${MAX_RESULTS} per call. Hidden files are included, files that git ignores are not. Use Grep for contents; make several searches in one message when unsure of the name.`,
    input,
    limits: [
      { name: 'results', value: String(MAX_RESULTS) },
      { name: 'time', value: searchTimeWords(options) },
    ],
    isReadOnly: () => true,
    subject: (call, context) => readSubject(whereOf(call, context).root, context),
    access: async (call, context) => [
      { key: `tree:${(await inspectPath(whereOf(call, context).root, context)).path}`, mode: 'read' },
    ],
    async validate(call, context) {
      const found = await inspectPath(whereOf(call, context).root, context)
      if (found.type === 'directory') return undefined
      if (found.type === 'file')
        return { code: 'not_a_directory', message: `${found.path} is a file; path must be a directory.` }
      if (found.type === 'problem') return found.problem
      return {
        code: 'not_found',
        message: `Directory does not exist: ${found.path}.${await didYouMean(found.path, context)}`,
      }
    },
    call: (call, context) => glob(call, context, options),
    view: ({ pattern, path }) => ({
      title: path ? `${pattern} in ${path}` : pattern,
      kind: 'search',
      body: { pattern },
    }),
  })
}

/** Models write "undefined" and "null" when they mean nothing; an absolute pattern brings its own root. */
function whereOf(
  { pattern, path }: GlobInput,
  context: ToolContext,
): { readonly root: string; readonly pattern: string } {
  const given =
    path === undefined || path === '' || path === 'undefined' || path === 'null' ? context.cwd : path
  if (!isAbsolute(pattern)) return { root: given, pattern }
  const segments = pattern.split('/')
  const at = segments.findIndex(segment => /[*?[{!(]/.test(segment))
  const end = at === -1 ? segments.length - 1 : at
  return { root: join('/', ...segments.slice(0, end)), pattern: segments.slice(end).join('/') }
}

async function* glob(call: GlobInput, context: ToolContext, options: SearchOptions): AsyncIterable<ToolStep> {
  const { timeout_ms = SEARCH_TIMEOUT_MS } = options
  const started = performance.now()
  const where = whereOf(call, context)
  const found = await inspectPath(where.root, context)
  if (found.type === 'problem') return yield { type: 'failure', ...found.problem }
  const root = found.path
  const ripgrep = await findRipgrep(options, root)
  if (!ripgrep) return yield { type: 'failure', ...NO_RIPGREP }
  const request = {
    root,
    pattern: where.pattern,
    hidden: context.hidden ?? [],
    isWithheld: (file: string) => context.withheld?.has(file) ?? false,
    signal: context.signal,
    timeout_ms,
  }
  const listed = await listFiles(ripgrep, { ...request, no_ignore: false })
  if (listed.problem !== undefined && listed.paths.length === 0) {
    yield { type: 'failure', message: `The search failed: ${listed.problem}` }
    return
  }
  const shown = (await newestFirst(listed.paths)).slice(call.offset, call.offset + MAX_RESULTS)
  const ignored =
    listed.paths.length === 0 ? (await listFiles(ripgrep, { ...request, no_ignore: true })).paths.length : 0
  yield {
    type: 'result',
    output_text: [
      describe(listed, { shown, ignored, offset: call.offset }, timeout_ms),
      ...withheldNote(context, root),
    ].join('\n'),
    structured: {
      filenames: shown,
      numFiles: shown.length,
      truncated: listed.paths.length > call.offset + shown.length,
      totalMatches: listed.paths.length,
      countIsComplete: !listed.timed_out,
      durationMs: Math.round(performance.now() - started),
      timedOut: listed.timed_out,
    },
  }
}

interface GlobPage {
  readonly shown: readonly string[]
  /** Files that match and that git ignores; counted when nothing else matches. */
  readonly ignored: number
  readonly offset: number
}

function describe(
  { paths, timed_out, problem, note }: FileList,
  { shown, ignored, offset }: GlobPage,
  timeout_ms: number,
): string {
  const none = paths.length === 0 ? 'No files found' : `No more files: ${paths.length} match`
  const lines = shown.length > 0 ? [...shown] : [none]
  if (ignored > 0) lines.push(`(${ignored} ignored files also match)`)
  const next = offset + shown.length
  if (shown.length > 0 && paths.length > next)
    lines.push(
      `(Results are truncated: ${shown.length} of ${paths.length}; next offset=${next}. Consider using a more specific path or pattern.)`,
    )
  if (timed_out) lines.push(`(The search was stopped after ${timeout_ms} ms; there may be more.)`)
  if (problem !== undefined) lines.push(`(Parts could not be searched: ${problem})`)
  if (note !== undefined) lines.push(`(${note})`)
  return lines.join('\n')
}

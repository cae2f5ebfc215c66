/** Read: a numbered page of a file; images and documents as such. Records what was seen. */
import type { Tool, ToolContext, ToolStep } from '@toolwire/core'
import { safeHead } from '@toolwire/core'
import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { keepSeen } from '../files/blobs.ts'
import { preferredCharset } from '../files/editorconfig.ts'
import { type FindScaler, MAX_IMAGE_BYTES, MAX_IMAGE_SIDE } from '../files/fit-image.ts'
import { didYouMean, inspectPath } from '../files/inspect-path.ts'
import { instructionFiles } from '../files/instructions.ts'
import { recordSeen } from '../files/ledger.ts'
import { readSubject } from '../files/path-subject.ts'
import { readMedia, sniff } from '../files/read-media.ts'
import { readPage } from '../files/read-page.ts'
import { resolvePath } from '../files/resolve-path.ts'
import { isSeenInContext } from '../files/seen-page.ts'
import type { TextPage } from '../files/text-page.ts'
import { WHOLE_FILE } from '../safe-files/open-file.ts'

const MAX_LINES = 2_000
const MAX_LINE_CHARS = 2_000
/** About 25,000 tokens at four characters each. */
const MAX_CHARS = 100_000
/** Of a line, beside its characters. */
const LINE_CHARS = 8
/** One more than can be shown. */
const MAX_LARGE = MAX_CHARS / LINE_CHARS + 1

const input = z.strictObject({
  file_path: z.string().describe('Absolute, or relative to the working directory'),
  offset: z.number().int().min(1).optional().describe('First line; 1 by default'),
  limit: z
    .number()
    .int()
    .min(1)
    .optional()
    .describe(`Lines to read; ${MAX_LINES} by default, and at most without allow_large`),
  pages: z.string().optional().describe('Pages of a PDF such as "1-5", at most 20; needed beyond 10 pages'),
  cell_id: z.string().optional().describe('One cell of a notebook; all by default'),
  allow_large: z.boolean().optional().describe(`Allow more than ${MAX_LINES} lines`),
})
type ReadInput = z.output<typeof input>

const DESCRIPTION = `Reads a file: text, images, PDF, and Jupyter notebooks (.ipynb) by cell; use LS for directories. Each line of text comes as number, tab, text; the number is not part of the text.
A call returns up to ${MAX_LINES} lines and ${MAX_CHARS} characters and says how to continue; lines beyond ${MAX_LINE_CHARS} characters are cut. Read small files whole; in a large one find the place with Grep and read from an offset.
A page that has not changed since you read it comes back as a pointer to the earlier result.`

export interface ReadOptions {
  /** Scales images down; the optional package if absent. */
  readonly findScaler?: FindScaler
}

export function createReadTool(options: ReadOptions = {}): Tool<ReadInput> {
  return defineTool({
    name: 'Read',
    type: 'builtin',
    description: DESCRIPTION,
    input,
    limits: [
      { name: 'lines', value: `${MAX_LINES} per call` },
      { name: 'line length', value: `${MAX_LINE_CHARS} characters` },
      { name: 'text', value: `${MAX_CHARS} characters per call; the rest is paged` },
      { name: 'PDF', value: '10 pages whole, 20 pages by range; 10 s and 512 MiB of memory to read them' },
      {
        name: 'image',
        value: `${MAX_IMAGE_SIDE} pixels on the longer side and ${MAX_IMAGE_BYTES} bytes; larger ones are scaled down where the package sharp is installed`,
      },
    ],
    isReadOnly: () => true,
    subject: ({ file_path }, context) => readSubject(file_path, context),
    access: async ({ file_path }, context) => [
      { key: `file:${(await inspectPath(file_path, context)).path}`, mode: 'read' },
    ],
    async validate({ file_path }, context) {
      const found = await inspectPath(file_path, context)
      switch (found.type) {
        case 'file':
          return undefined
        case 'problem':
          return found.problem
        case 'directory':
          return { code: 'is_directory', message: `${found.path} is a directory. Use LS to list it.` }
        case 'missing':
          return {
            code: 'not_found',
            message: `File does not exist: ${found.path}.${await didYouMean(found.path, context)}`,
          }
      }
    },
    call: (call, context) => read(call, context, options.findScaler),
    view: ({ file_path, offset }) => ({
      title: file_path,
      kind: 'read',
      body: { path: file_path, ...(offset ? { offset } : {}) },
    }),
  })
}

async function* read(
  call: ReadInput,
  context: ToolContext,
  findScaler: FindScaler | undefined,
): AsyncIterable<ToolStep> {
  const found = await inspectPath(call.file_path, context)
  if (found.type === 'problem') return yield { type: 'failure', ...found.problem }
  if (found.type !== 'file')
    return yield { type: 'failure', code: 'not_found', message: `File does not exist: ${found.path}.` }
  const media = await sniff(found.path)
  if (media.type !== 'text') {
    yield await readMedia(found, media, { pages: call.pages, findScaler })
    return
  }
  if (found.path.endsWith('.ipynb') && found.size <= WHOLE_FILE) {
    const { readNotebook } = await import('../notebooks/read-notebook.ts')
    yield await readNotebook({ path: found.path, cell_id: call.cell_id, findScaler }, context)
    return
  }
  const first = call.offset ?? 1
  const limit = Math.min(call.limit ?? MAX_LINES, call.allow_large ? MAX_LARGE : MAX_LINES)
  const preferred = await preferredCharset(found.path)
  const page = await readPage(found.path, {
    first,
    limit,
    preferred,
    signal: context.signal,
  })
  if (page.total === 0) {
    remember(context, found, page, 0)
    yield { type: 'result', output_text: `[${found.path}: the file exists but is empty]` }
    return
  }
  if (page.lines.length === 0) {
    yield {
      type: 'failure',
      code: 'precondition',
      message: `offset ${first} is beyond the end: ${found.path} has ${page.total} lines.`,
    }
    return
  }
  yield* showPage(call, context, found, page)
}

type FileStat = { readonly path: string; readonly size: number; readonly mtime: number }

async function* showPage(
  call: ReadInput,
  context: ToolContext,
  found: FileStat,
  page: TextPage,
): AsyncIterable<ToolStep> {
  const shown = fitting(page)
  const last = page.first + shown.length - 1
  if (isSeenInContext(context, found.path, { sha256: page.sha256, first: page.first, last })) {
    yield {
      type: 'result',
      output_text: `[${found.path}: lines ${page.first}-${last} are unchanged since they were read before; see there]`,
    }
    return
  }
  remember(context, found, page, last)
  if (page.bytes) await keepSeen(context, page.bytes)
  const notes = describe(resolvePath(call.file_path, context.cwd) !== call.file_path, found, page, last)
  const text = shown.map((line, i) => `${String(page.first + i).padStart(6)}\t${cut(line)}`).join('\n')
  const instructions = await instructionFiles(context, found.path)
  yield {
    type: 'result',
    output_text: [text, ...notes, ...instructions].join('\n'),
    bounded: true,
    structured: {
      path: found.path,
      first: page.first,
      lines: shown.length,
      ...(page.total === undefined ? {} : { total_lines: page.total }),
      charset: page.charset.name,
      ...(last < page.first + page.lines.length - 1 ? { truncatedByTokenCap: true } : {}),
    },
  }
}

/** As many lines as fit the cap; at least one. */
function fitting(page: TextPage): readonly string[] {
  let chars = 0
  const at = page.lines.findIndex(line => {
    chars += Math.min(line.length, MAX_LINE_CHARS) + LINE_CHARS
    return chars > MAX_CHARS
  })
  return at === -1 ? page.lines : page.lines.slice(0, Math.max(1, at))
}

const cut = (line: string): string =>
  line.length <= MAX_LINE_CHARS
    ? line
    : `${safeHead(line, MAX_LINE_CHARS)}… [line truncated, ${line.length} chars]`

function describe(resolved: boolean, found: FileStat, page: TextPage, last: number): readonly string[] {
  const more = page.more || last < page.first + page.lines.length - 1
  const of = page.total === undefined ? '' : ` of ${page.total}`
  return [
    ...(more ? [`[Lines ${page.first}-${last}${of}; next offset=${last + 1}]`] : []),
    ...(page.charset.name === 'utf-8' ? [] : [`[Charset: ${page.charset.name}]`]),
    ...(resolved ? [`[Read ${found.path}]`] : []),
  ]
}

function remember(context: ToolContext, found: FileStat, page: TextPage, last: number): void {
  const whole = page.first === 1 && page.total !== undefined && last >= page.total
  recordSeen(context, found.path, {
    ...(page.sha256 === undefined ? {} : { sha256: page.sha256 }),
    size: found.size,
    mtime: found.mtime,
    seen: whole ? 'all' : [[page.first, last]],
    charset: page.charset.name,
    eol: page.eol,
    bom: page.charset.bom > 0,
  })
}

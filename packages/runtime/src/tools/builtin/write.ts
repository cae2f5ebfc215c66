/** Write: a whole file. An existing one must have been read, keeps its charset and line ends, and is replaced as one step. */
import { readFile } from 'node:fs/promises'
import type { Tool, ToolContext, ToolProblem, ToolStep } from '@toolwire/core'
import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { placeOf } from '../files/approved-place.ts'
import { changeFile, recoverChange } from '../files/change-file.ts'
import { encode, isStandIn } from '../files/charset.ts'
import { checkWritable } from '../files/check-writable.ts'
import { describeChange } from '../files/describe-change.ts'
import { type Diagnostics, withDiagnostics } from '../files/diagnostics.ts'
import { preferredCharset } from '../files/editorconfig.ts'
import { type Examined, examine } from '../files/examine.ts'
import { newFileStyle } from '../files/new-file-style.ts'
import { readText } from '../files/text-file.ts'

const MAX_CHARS = 10 * 1024 * 1024

const input = z.strictObject({
  file_path: z.string().describe('Absolute path of the file'),
  content: z.string().max(MAX_CHARS).describe('The whole content'),
})
type Input = z.output<typeof input>

/** `diagnostics` is asked about every file after it was written. */
export function createWriteTool(
  options: { readonly diagnostics?: Diagnostics | undefined } = {},
): Tool<Input> {
  return defineTool({
    name: 'Write',
    type: 'builtin',
    description:
      'Writes a whole file, making its directories. An existing file must have been read first; prefer Edit for changes to one.',
    input,
    limits: [{ name: 'content', value: `${MAX_CHARS} characters` }],
    isReadOnly: () => false,
    subject: async ({ file_path }, context) => ({
      type: 'path',
      path: (await examine(file_path, context)).path,
      write: true,
    }),
    access: async ({ file_path }, context) => [
      { key: `file:${(await examine(file_path, context)).path}`, mode: 'write' },
    ],
    validate: async ({ file_path }, context) => await problemOf(await examine(file_path, context), context),
    call: (call, context) => write(call, context, options.diagnostics),
    recover: (_, context) => recoverChange(context, path => `The file ${path} has been updated.`),
    view: ({ file_path, content }) => ({
      title: file_path,
      kind: 'write',
      body: { path: file_path, content },
    }),
    preview: async ({ file_path, content }, context) => {
      const found = await examine(file_path, context)
      const preferred = await preferredCharset(found.path)
      const before = found.type === 'file' ? readText(await readFile(found.path), preferred).view : null
      const change = describeChange(found.path, before, content.replaceAll('\r\n', '\n'))
      return { ...change, place: await placeOf(found.path) }
    },
  })
}

async function problemOf(found: Examined, context: ToolContext): Promise<ToolProblem | undefined> {
  switch (found.type) {
    case 'missing':
      return undefined
    case 'problem':
      return found.problem
    case 'directory':
      return {
        code: 'is_directory',
        message: `${found.path} is a directory; a file cannot be written there.`,
      }
    case 'file': {
      const writable = await checkWritable(found, context)
      return writable.ok ? undefined : writable.problem
    }
  }
}

async function* write(
  { file_path, content }: Input,
  context: ToolContext,
  diagnostics: Diagnostics | undefined,
): AsyncIterable<ToolStep> {
  const found = await examine(file_path, context)
  const old = found.type === 'file' ? await readFile(found.path) : undefined
  const preferred = await preferredCharset(found.path)
  const style = old ? styleOf(old, preferred) : await newFileStyle(found.path)
  const text = style.eol === 'crlf' && !content.includes('\r\n') ? content.replaceAll('\n', '\r\n') : content
  const marked = style.bom && !text.startsWith('\ufeff') ? `\ufeff${text}` : text
  const after = old && isStandIn(content, old) ? undefined : encode(marked, { name: style.charset, bom: 0 })
  if (!after) {
    yield {
      type: 'failure',
      code: 'not_encodable',
      message: `${found.path} is in ${style.charset}, which has no form for some characters of the content. Nothing was written.`,
    }
    return
  }
  if (old && Buffer.compare(old, after) === 0) {
    yield {
      type: 'result',
      output_text: `The file ${found.path} already has exactly this content; nothing was written.`,
      structured: { path: found.path, type: 'unchanged' },
    }
    return
  }
  const problem = await changeFile({ path: found.path, before: old, after, seen: 'all', ...style }, context)
  if (problem) {
    yield { type: 'failure', ...problem }
    return
  }
  const view = (bytes: Uint8Array): string => readText(bytes, preferred).view
  const change = describeChange(found.path, old ? view(old) : null, view(after))
  const step: ToolStep = {
    type: 'result',
    output_text: old
      ? `The file ${found.path} has been updated.`
      : `File created successfully at: ${found.path}`,
    structured: { type: old ? 'update' : 'create', ...change, userModified: context.edited },
    view: { title: found.path, kind: 'diff', body: { path: found.path, patch: change.gitDiff } },
  }
  yield await withDiagnostics(step, diagnostics, found.path, context)
}

interface Style {
  readonly charset: string
  readonly eol: string
  readonly bom: boolean
}

function styleOf(old: Uint8Array, preferred: string | undefined): Style {
  const { charset, eol } = readText(old, preferred)
  return { charset: charset.name, eol, bom: charset.bom > 0 }
}

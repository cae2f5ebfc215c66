/** Edit: replaces text in a file, byte for byte nothing else. The replaced lines must have been seen. */
import { readFile } from 'node:fs/promises'
import type { Tool, ToolContext, ToolProblem, ToolStep } from '@toolwire/core'
import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { placeOf } from '../files/approved-place.ts'
import { changeFile, recoverChange } from '../files/change-file.ts'
import { encode } from '../files/charset.ts'
import { checkWritable } from '../files/check-writable.ts'
import { describeChange, snippet } from '../files/describe-change.ts'
import { type Diagnostics, withDiagnostics } from '../files/diagnostics.ts'
import { preferredCharset } from '../files/editorconfig.ts'
import { didYouMean, examine } from '../files/examine.ts'
import { entryOf, isSeen, type LedgerEntry, shiftSeen } from '../files/ledger.ts'
import { newFileStyle } from '../files/new-file-style.ts'
import { type PlannedEdit, planEdit } from '../files/plan-edit.ts'
import { toLines } from '../files/read-page.ts'
import { readText } from '../files/text-file.ts'

const input = z.strictObject({
  file_path: z.string().describe('Absolute path of the file'),
  old_string: z.string().describe('The text to replace, exactly as it stands in the file'),
  new_string: z.string().describe('The text to put there'),
  replace_all: z.boolean().optional().default(false).describe('Replace every occurrence'),
})
type Input = z.output<typeof input>

const DESCRIPTION = `Replaces text in a file that has been read. old_string must occur exactly once unless replace_all is set;
give enough of the lines around it. An empty old_string creates a new file. Line numbers of Read are not part of the text.`

export interface ChangeOptions {
  /** Asked about every file after it was changed. */
  readonly diagnostics?: Diagnostics | undefined
}

export function createEditTool(options: ChangeOptions = {}): Tool<Input> {
  return defineTool({
    name: 'Edit',
    type: 'builtin',
    description: DESCRIPTION,
    input,
    limits: [{ name: 'file', value: '16 MiB' }],
    isReadOnly: () => false,
    subject: async ({ file_path }, context) => ({
      type: 'path',
      path: (await examine(file_path, context)).path,
      write: true,
    }),
    access: async ({ file_path }, context) => [
      { key: `file:${(await examine(file_path, context)).path}`, mode: 'write' },
    ],
    validate: problemOf,
    call: (call, context) => edit(call, context, options.diagnostics),
    recover: (_, context) => recoverChange(context, path => `The file ${path} has been updated.`),
    view: ({ file_path, old_string, new_string }) => ({
      title: file_path,
      kind: 'edit',
      body: { path: file_path, old_string, new_string },
    }),
    preview: async (call, context) => {
      const { path } = await examine(call.file_path, context)
      const bytes = await readFile(path).catch(() => Buffer.alloc(0))
      const preferred = await preferredCharset(path)
      const view = (text: Uint8Array): string => readText(text, preferred).view
      const plan = planEdit(bytes, call, preferred)
      if (!plan.ok) return undefined
      return { ...describeChange(path, view(bytes), view(plan.edit.after)), place: await placeOf(path) }
    },
  })
}

async function problemOf(call: Input, context: ToolContext): Promise<ToolProblem | undefined> {
  if (call.old_string === call.new_string)
    return {
      code: 'no_change',
      message: 'No changes to make: old_string and new_string are exactly the same.',
    }
  const found = await examine(call.file_path, context)
  if (found.type === 'problem') return found.problem
  if (found.type === 'directory') return { code: 'is_directory', message: `${found.path} is a directory.` }
  if (found.type === 'missing') {
    if (call.old_string === '') return undefined
    return { code: 'not_found', message: `File does not exist.${await didYouMean(found.path, context)}` }
  }
  if (call.old_string === '' && found.size > 0)
    return { code: 'exists', message: 'Cannot create new file - file already exists.' }
  if (found.path.endsWith('.ipynb'))
    return { code: 'notebook', message: 'This is a Jupyter notebook. Use NotebookEdit to change it.' }
  if (call.old_string === '') return undefined
  const writable = await checkWritable(found, context)
  if (!writable.ok) return writable.problem
  const plan = planEdit(writable.bytes, call, await preferredCharset(found.path))
  if (!plan.ok) return plan.problem
  const unseen = plan.edit.lines.find(([first, last]) => !isSeen(writable.entry, first, last))
  if (!unseen) return undefined
  return {
    code: 'not_read',
    message: `Lines ${unseen[0]}-${unseen[1]} have not been read yet. Read them first before changing them.`,
  }
}

async function* edit(
  call: Input,
  context: ToolContext,
  diagnostics: Diagnostics | undefined,
): AsyncIterable<ToolStep> {
  const { path, type } = await examine(call.file_path, context)
  if (call.old_string === '') {
    yield await withDiagnostics(
      await create(call, path, type === 'file', context),
      diagnostics,
      path,
      context,
    )
    return
  }
  const before = await readFile(path)
  const preferred = await preferredCharset(path)
  const plan = planEdit(before, call, preferred)
  if (!plan.ok) {
    yield { type: 'failure', ...plan.problem }
    return
  }
  const file = readText(before, preferred)
  const seen = plan.edit.lines
    .toReversed()
    .reduce((known, [first, last, now]) => shiftSeen(known, first, last, now), seenOf(context, path))
  const style = { charset: file.charset.name, eol: file.eol, bom: file.charset.bom > 0 }
  const problem = await changeFile({ path, before, after: plan.edit.after, seen, ...style }, context)
  if (problem) {
    yield { type: 'failure', ...problem }
    return
  }
  const step = describe(
    call,
    path,
    { before: file.view, after: readText(plan.edit.after, preferred).view, edit: plan.edit },
    context,
  )
  yield await withDiagnostics(step, diagnostics, path, context)
}

const seenOf = (context: ToolContext, path: string): LedgerEntry['seen'] => entryOf(context, path)?.seen ?? []

function describe(
  call: Input,
  path: string,
  { before, after, edit }: { readonly before: string; readonly after: string; readonly edit: PlannedEdit },
  context: ToolContext,
): ToolStep {
  const [first = 1] = edit.lines[0] ?? []
  const last = first + Math.max(1, toLines(edit.replacement).length) - 1
  const how =
    edit.step === 'exact'
      ? ''
      : ` old_string did not stand there exactly; it was matched ignoring ${edit.step}.`
  const times = edit.count > 1 ? ` ${edit.count} occurrences were replaced.` : ''
  const change = describeChange(path, before, after)
  return {
    type: 'result',
    output_text: `The file ${path} has been updated.${times}${how}\n${snippet(after, first, last)}`,
    structured: {
      type: 'update',
      ...change,
      replaceAll: call.replace_all,
      replaced: edit.count,
      matched: edit.step,
      userModified: context.edited,
    },
    view: { title: path, kind: 'diff', body: { path, patch: change.gitDiff } },
  }
}

async function create(call: Input, path: string, exists: boolean, context: ToolContext): Promise<ToolStep> {
  const style = await newFileStyle(path)
  const text =
    style.eol === 'crlf' ? call.new_string.replaceAll('\r\n', '\n').replaceAll('\n', '\r\n') : call.new_string
  const after = encode(style.bom ? `\ufeff${text}` : text, { name: style.charset, bom: 0 })
  if (!after)
    return {
      type: 'failure',
      code: 'not_encodable',
      message: `${style.charset} has no form for some characters of new_string.`,
    }
  const before = exists ? new Uint8Array() : undefined
  const problem = await changeFile({ path, before, after, seen: 'all', ...style }, context)
  if (problem) return { type: 'failure', ...problem }
  const change = describeChange(path, null, call.new_string)
  return {
    type: 'result',
    output_text: `File created successfully at: ${path}`,
    structured: { type: 'create', ...change, userModified: context.edited },
  }
}

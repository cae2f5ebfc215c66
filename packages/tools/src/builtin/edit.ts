/** Edit: replaces text in a file, byte for byte nothing else. The replaced lines must have been seen. */
import type { Tool, ToolContext, ToolProblem, ToolStep } from '@toolwire/core'
import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { placeOf } from '../files/approved-path.ts'
import { changeFile, recoverChange } from '../files/change-file.ts'
import { checkWritable } from '../files/check-writable.ts'
import { type Diagnostics, withDiagnostics } from '../files/diagnostics.ts'
import type { EditedText } from '../files/edit-text.ts'
import { preferredCharset } from '../files/editorconfig.ts'
import { MAX_SPANS } from '../files/file-limits.ts'
import { didYouMean, inspectPath } from '../files/inspect-path.ts'
import { entryOf, isSeen, type LedgerEntry, readKnown, shiftSeen } from '../files/ledger.ts'
import { newFileStyle } from '../files/new-file-style.ts'
import { writeSubject } from '../files/path-subject.ts'
import type { EditRequest } from '../files/plan-edit.ts'
import { offload } from '../offload/offload.ts'
import { readWhole } from '../safe-files/open-file.ts'

const input = z.strictObject({
  file_path: z.string().describe('Absolute, or relative to the working directory'),
  old_string: z.string().describe('The text to replace, exactly as in the file, with its indentation'),
  new_string: z.string().describe('The text to put there; another one than old_string'),
  replace_all: z.boolean().optional().default(false).describe('Replace every occurrence; false by default'),
})
type EditInput = z.output<typeof input>

const DESCRIPTION = `Replaces text in a file whose lines you have read. old_string must match exactly, indentation included, and occur once unless replace_all is set: give enough lines to be unique, and no more. Line numbers of Read are not part of the text.
Write the whole new text: a remark such as "rest unchanged" would replace the code. Several edits of one file may be in one message; they run in order. The result shows the new lines; do not read them again. Charset and line ends of the file are kept. Files up to 16 MiB.`

export interface ChangeOptions {
  /** Asked about every file after it was changed. */
  readonly diagnostics?: Diagnostics | undefined
}

export function createEditTool(options: ChangeOptions = {}): Tool<EditInput> {
  return defineTool({
    name: 'Edit',
    type: 'builtin',
    description: DESCRIPTION,
    input,
    limits: [
      { name: 'file', value: '16 MiB' },
      { name: 'replace_all', value: `${MAX_SPANS} occurrences` },
    ],
    isReadOnly: () => false,
    subject: ({ file_path }, context) => writeSubject(file_path, context),
    access: async ({ file_path }, context) => [
      { key: `file:${(await inspectPath(file_path, context)).path}`, mode: 'write' },
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
      const found = await inspectPath(call.file_path, context)
      const { path } = found
      const isEmpty = found.type === 'missing' || (found.type === 'file' && found.size === 0)
      const bytes = isEmpty ? Buffer.alloc(0) : await readKnown(context, path)
      if (!bytes) return undefined
      const edited = await offload('editText', [path, bytes, requestOf(call), await preferredCharset(path)])
      return edited.ok ? { ...edited.change, place: await placeOf(path) } : undefined
    },
  })
}

async function problemOf(call: EditInput, context: ToolContext): Promise<ToolProblem | undefined> {
  if (call.old_string === call.new_string)
    return {
      code: 'no_change',
      message: 'No changes to make: old_string and new_string are exactly the same.',
    }
  const found = await inspectPath(call.file_path, context)
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
  const preferred = await preferredCharset(found.path)
  const plan = await offload('planEdit', [writable.bytes, requestOf(call), preferred])
  if (!plan.ok) return plan.problem
  const unseen = plan.edit.lines.find(([first, last]) => !isSeen(writable.entry, first, last))
  if (!unseen) return undefined
  return {
    code: 'not_read',
    message: `Lines ${unseen[0]}-${unseen[1]} have not been read yet. Read them first before changing them.`,
  }
}

async function* edit(
  call: EditInput,
  context: ToolContext,
  diagnostics: Diagnostics | undefined,
): AsyncIterable<ToolStep> {
  const found = await inspectPath(call.file_path, context)
  if (found.type === 'problem') return yield { type: 'failure', ...found.problem }
  const { path, type } = found
  if (call.old_string === '') {
    yield await withDiagnostics(
      await create(call, path, type === 'file', context),
      diagnostics,
      path,
      context,
    )
    return
  }
  const before = await readWhole(path)
  const edited = await offload('editText', [path, before, requestOf(call), await preferredCharset(path)])
  if (!edited.ok) {
    yield { type: 'failure', ...edited.problem }
    return
  }
  const { lines, after } = edited.edit
  const seen = lines
    .toReversed()
    .reduce((known, [first, last, now]) => shiftSeen(known, first, last, now), seenOf(context, path))
  const problem = await changeFile({ path, before, after, seen, ...edited.style }, context)
  if (problem) {
    yield { type: 'failure', ...problem }
    return
  }
  yield await withDiagnostics(describe(call, path, edited, context), diagnostics, path, context)
}

const requestOf = ({ old_string, new_string, replace_all }: EditInput): EditRequest => ({
  old_string,
  new_string,
  replace_all,
})

const seenOf = (context: ToolContext, path: string): LedgerEntry['seen'] => entryOf(context, path)?.seen ?? []

function describe(
  call: EditInput,
  path: string,
  { edit, change, snippet }: Extract<EditedText, { readonly ok: true }>,
  context: ToolContext,
): ToolStep {
  const how =
    edit.step === 'exact' ? '' : ` old_string was not found exactly; it was matched ignoring ${edit.step}.`
  const times = edit.count > 1 ? ` ${edit.count} occurrences were replaced.` : ''
  return {
    type: 'result',
    output_text: `The file ${path} has been updated.${times}${how}\n${snippet}`,
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

async function create(
  call: EditInput,
  path: string,
  exists: boolean,
  context: ToolContext,
): Promise<ToolStep> {
  const style = await newFileStyle(path)
  const content = style.eol === 'crlf' ? call.new_string.replaceAll('\r\n', '\n') : call.new_string
  const request = { path, content, preferred: style.charset, style }
  const { after, change } = await offload('planWrite', [undefined, request])
  if (!after || !change)
    return {
      type: 'failure',
      code: 'not_encodable',
      message: `${style.charset} has no form for some characters of new_string.`,
    }
  const before = exists ? new Uint8Array() : undefined
  const problem = await changeFile({ path, before, after, seen: 'all', ...style }, context)
  if (problem) return { type: 'failure', ...problem }
  return {
    type: 'result',
    output_text: `File created successfully at: ${path}`,
    structured: { type: 'create', ...change, userModified: context.edited },
  }
}

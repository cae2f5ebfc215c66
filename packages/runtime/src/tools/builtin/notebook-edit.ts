/** NotebookEdit: replaces, inserts or deletes one cell of a Jupyter notebook; the rest of the file stays as it is. */
import type { Tool, ToolContext, ToolProblem, ToolStep } from '@toolwire/core'
import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { placeOf } from '../files/approved-place.ts'
import { changeFile, recoverChange } from '../files/change-file.ts'
import { encode } from '../files/charset.ts'
import { checkWritable } from '../files/check-writable.ts'
import { describeChange, lineAt } from '../files/describe-change.ts'
import { examine } from '../files/examine.ts'
import { entryOf, isSeen, shiftSeen } from '../files/ledger.ts'
import { type CellChange, type Planned, type PlannedChange, planCells } from '../notebooks/change-cells.ts'
import { findNotebook, type Opened, openNotebook } from '../notebooks/notebook.ts'

const MAX_SOURCE = 1024 * 1024

const input = z.strictObject({
  notebook_path: z.string().describe('Absolute path of the .ipynb file'),
  cell_id: z
    .string()
    .optional()
    .describe(
      'The cell to change. For insert: the cell after which the new one goes; at the start when absent',
    ),
  new_source: z.string().max(MAX_SOURCE).describe('The new source of the cell; ignored by delete'),
  cell_type: z
    .enum(['code', 'markdown'])
    .optional()
    .describe('Needed for insert; for replace it changes the kind of the cell'),
  edit_mode: z.enum(['replace', 'insert', 'delete']).optional().default('replace'),
})
type Input = z.output<typeof input>

export const createNotebookEditTool = (): Tool<Input> =>
  defineTool({
    name: 'NotebookEdit',
    type: 'builtin',
    description:
      'Changes one cell of a Jupyter notebook that has been read: replaces its source (its outputs are cleared), inserts a cell after cell_id, or deletes it.',
    input,
    limits: [{ name: 'source', value: `${MAX_SOURCE} characters` }],
    isReadOnly: () => false,
    subject: async ({ notebook_path }, context) => ({
      type: 'path',
      path: (await examine(notebook_path, context)).path,
      write: true,
    }),
    access: async ({ notebook_path }, context) => [
      { key: `file:${(await examine(notebook_path, context)).path}`, mode: 'write' },
    ],
    validate: problemOf,
    call: edit,
    recover: (_, context) => recoverChange(context, path => `The notebook ${path} has been updated.`),
    view: ({ notebook_path, cell_id, new_source, edit_mode }) => ({
      title: cell_id === undefined ? notebook_path : `${notebook_path} · ${cell_id}`,
      kind: 'notebook',
      body: { path: notebook_path, cell_id, new_source, edit_mode },
    }),
    async preview(call, context) {
      const opened = await openNotebook(call.notebook_path, context)
      if (!opened.ok) return undefined
      const planned = planCells(opened.notebook, toChange(call, context))
      if (!planned.ok) return undefined
      return { ...cellDiff(call, opened.path, planned.change), place: await placeOf(opened.path) }
    },
  })

const toChange = (call: Input, { call_id }: ToolContext): CellChange => ({
  mode: call.edit_mode,
  cell_id: call.cell_id,
  source: call.new_source,
  type: call.cell_type,
  seed: call_id,
})

async function problemOf(call: Input, context: ToolContext): Promise<ToolProblem | undefined> {
  if (call.edit_mode === 'insert' && call.cell_type === undefined)
    return { message: 'insert needs cell_type: code or markdown.' }
  if (call.edit_mode !== 'insert' && call.cell_id === undefined)
    return { message: `${call.edit_mode} needs cell_id.` }
  const found = await findNotebook(call.notebook_path, context)
  if (!found.ok) return found.problem
  // Before it is parsed: what is wrong inside is for those who have read it.
  const writable = await checkWritable(found, context)
  if (!writable.ok) return writable.problem
  const opened = await openNotebook(call.notebook_path, context)
  if (!opened.ok) return opened.problem
  const planned = planCells(opened.notebook, toChange(call, context))
  if (!planned.ok) return planned.problem
  const { touched, cell_id } = planned.change
  if (!touched || isSeen(writable.entry, ...touched)) return undefined
  return {
    code: 'not_read',
    message: `Cell ${cell_id} has not been read yet. Read it first with NotebookRead before changing it.`,
  }
}

async function* edit(call: Input, context: ToolContext): AsyncIterable<ToolStep> {
  const opened = await openNotebook(call.notebook_path, context)
  const planned: Planned = opened.ok ? planCells(opened.notebook, toChange(call, context)) : opened
  if (!opened.ok || !planned.ok) {
    yield { type: 'failure', ...(planned.ok ? { message: 'The notebook cannot be read.' } : planned.problem) }
    return
  }
  const { change } = planned
  const problem = await write(opened, change, context)
  yield problem ? { type: 'failure', ...problem } : describe(call, opened.path, change, context)
}

type OpenNotebook = Extract<Opened, { readonly ok: true }>

async function write(
  { path, bytes, file }: OpenNotebook,
  { span, replacement }: PlannedChange,
  context: ToolContext,
): Promise<ToolProblem | undefined> {
  const eol = file.eolAt(span.start)
  const text = eol === '\n' ? replacement : replacement.replaceAll('\n', eol)
  const inserted = encode(text, { name: file.charset.name, bom: 0 })
  if (!inserted)
    return {
      code: 'not_encodable',
      message: `${path} is in ${file.charset.name}, which has no form for some characters of new_source. Nothing was written.`,
    }
  const after = Buffer.concat([
    bytes.subarray(0, file.toByte(span.start)),
    inserted,
    bytes.subarray(file.toByte(span.end)),
  ])
  const first = lineAt(file.view, span.start)
  const last = lineAt(file.view, span.end)
  const seen = shiftSeen(
    entryOf(context, path)?.seen ?? [],
    first,
    last,
    lineAt(replacement, replacement.length),
  )
  const style = { charset: file.charset.name, eol: file.eol, bom: file.charset.bom > 0 }
  return await changeFile({ path, before: bytes, after, seen, ...style }, context)
}

function describe(call: Input, path: string, change: PlannedChange, context: ToolContext): ToolStep {
  const { cell_id, old_source, problems, type } = change
  const new_source = call.edit_mode === 'delete' ? '' : call.new_source
  const notes =
    problems.length === 0
      ? ''
      : `\nThe notebook was not valid before and still is not: ${problems.join('; ')}.`
  const diff = cellDiff(call, path, change)
  return {
    type: 'result',
    output_text: `${sentence(call, change)} in ${path}.${notes}`,
    structured: {
      type: call.edit_mode,
      path,
      cell_id,
      cell_type: type,
      old_source,
      new_source,
      patch: diff.gitDiff,
      userModified: context.edited,
    },
    view: { title: `${path} · ${cell_id}`, kind: 'notebook', body: { path, cell_id, patch: diff.gitDiff } },
  }
}

function sentence(call: Input, { cell_id }: PlannedChange): string {
  switch (call.edit_mode) {
    case 'replace':
      return `Cell ${cell_id} has been replaced`
    case 'insert':
      return `Cell ${cell_id} has been inserted ${call.cell_id === undefined ? 'at the start' : `after ${call.cell_id}`}`
    case 'delete':
      return `Cell ${cell_id} has been deleted`
  }
}

const cellDiff = (call: Input, path: string, { cell_id, old_source }: PlannedChange) =>
  describeChange(`${path}#${cell_id}`, old_source, call.edit_mode === 'delete' ? '' : call.new_source)

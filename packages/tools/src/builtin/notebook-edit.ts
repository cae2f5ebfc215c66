/** NotebookEdit: replaces, inserts or deletes one cell of a Jupyter notebook; the rest of the file stays as it is. */
import type { Tool, ToolContext, ToolProblem, ToolStep } from '@toolwire/core'
import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { placeOf } from '../files/approved-path.ts'
import { changeFile, recoverChange } from '../files/change-file.ts'
import { checkWritable } from '../files/check-writable.ts'
import { inspectPath } from '../files/inspect-path.ts'
import { entryOf, isSeen, readKnown, shiftSeen } from '../files/ledger.ts'
import { writeSubject } from '../files/path-subject.ts'
import type { CellChange, PlannedChange } from '../notebooks/change-cells.ts'
import { findNotebook, inFile } from '../notebooks/find-notebook.ts'
import type { NotebookPlan } from '../notebooks/plan-notebook.ts'
import { offload } from '../offload/offload.ts'
import { readWhole } from '../safe-files/open-file.ts'

const MAX_SOURCE = 1024 * 1024

const input = z.strictObject({
  notebook_path: z.string().describe('Absolute, or relative to the working directory'),
  cell_id: z
    .string()
    .optional()
    .describe('The cell to change; for insert the one before it, none for the start'),
  new_source: z.string().max(MAX_SOURCE).describe('Ignored by delete'),
  cell_type: z.enum(['code', 'markdown']).optional().describe('Needed for insert'),
  edit_mode: z
    .enum(['replace', 'insert', 'delete'])
    .optional()
    .default('replace')
    .describe('replace by default'),
})
type NotebookEditInput = z.output<typeof input>

export const createNotebookEditTool = (): Tool<NotebookEditInput> =>
  defineTool({
    name: 'NotebookEdit',
    type: 'builtin',
    description:
      'Changes one cell of a Jupyter notebook (.ipynb) that has been read: replaces its source (its outputs are cleared), inserts a cell after cell_id, or deletes it. Cell ids are those that Read shows.',
    input,
    limits: [{ name: 'source', value: `${MAX_SOURCE} characters` }],
    isReadOnly: () => false,
    subject: ({ notebook_path }, context) => writeSubject(notebook_path, context),
    access: async ({ notebook_path }, context) => [
      { key: `file:${(await inspectPath(notebook_path, context)).path}`, mode: 'write' },
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
      const found = await findNotebook(call.notebook_path, context)
      const bytes = found.ok ? await readKnown(context, found.path) : undefined
      if (!found.ok || !bytes) return undefined
      const planned = await plan(call, found.path, bytes, context)
      return planned.ok ? { ...planned.diff, place: await placeOf(found.path) } : undefined
    },
  })

const toChange = (call: NotebookEditInput, { call_id }: ToolContext): CellChange => ({
  mode: call.edit_mode,
  cell_id: call.cell_id,
  source: call.new_source,
  type: call.cell_type,
  seed: call_id,
})

async function problemOf(call: NotebookEditInput, context: ToolContext): Promise<ToolProblem | undefined> {
  if (call.edit_mode === 'insert' && call.cell_type === undefined)
    return { message: 'insert needs cell_type: code or markdown.' }
  if (call.edit_mode !== 'insert' && call.cell_id === undefined)
    return { message: `${call.edit_mode} needs cell_id.` }
  const found = await findNotebook(call.notebook_path, context)
  if (!found.ok) return found.problem
  // Before it is parsed: what is wrong inside is for those who have read it.
  const writable = await checkWritable(found, context)
  if (!writable.ok) return writable.problem
  const planned = await plan(call, found.path, writable.bytes, context)
  if (!planned.ok) return planned.problem
  const { touched, cell_id } = planned.change
  if (!touched || isSeen(writable.entry, ...touched)) return undefined
  return {
    code: 'not_read',
    message: `Cell ${cell_id} has not been read yet. Read it first with NotebookRead before changing it.`,
  }
}

async function plan(
  call: NotebookEditInput,
  path: string,
  bytes: Uint8Array,
  context: ToolContext,
): Promise<NotebookPlan> {
  const planned = await offload('planNotebook', [path, bytes, toChange(call, context)])
  return planned.ok ? planned : { ok: false, problem: inFile(planned.problem, path) }
}

async function* edit(call: NotebookEditInput, context: ToolContext): AsyncIterable<ToolStep> {
  const found = await findNotebook(call.notebook_path, context)
  const before = found.ok ? await readWhole(found.path) : new Uint8Array()
  const planned: NotebookPlan = found.ok ? await plan(call, found.path, before, context) : found
  if (!found.ok || !planned.ok) {
    yield {
      type: 'failure',
      ...(planned.ok ? { message: 'The notebook cannot be read.' } : planned.problem),
    }
    return
  }
  const problem = await write(found.path, before, planned, context)
  yield problem ? { type: 'failure', ...problem } : describe(call, found.path, planned, context)
}

type SuccessfulPlan = Extract<NotebookPlan, { readonly ok: true }>

async function write(
  path: string,
  before: Uint8Array,
  { after, style, lines }: SuccessfulPlan,
  context: ToolContext,
): Promise<ToolProblem | undefined> {
  if (!after)
    return {
      code: 'not_encodable',
      message: `${path} is in ${style.charset}, which has no form for some characters of new_source. Nothing was written.`,
    }
  const seen = shiftSeen(entryOf(context, path)?.seen ?? [], ...lines)
  return await changeFile({ path, before, after, seen, ...style }, context)
}

function describe(
  call: NotebookEditInput,
  path: string,
  { change, diff }: SuccessfulPlan,
  context: ToolContext,
): ToolStep {
  const { cell_id, old_source, problems, type } = change
  const new_source = call.edit_mode === 'delete' ? '' : call.new_source
  const notes =
    problems.length === 0
      ? ''
      : `\nThe notebook was not valid before and still is not: ${problems.join('; ')}.`
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

function sentence(call: NotebookEditInput, { cell_id }: PlannedChange): string {
  switch (call.edit_mode) {
    case 'replace':
      return `Cell ${cell_id} has been replaced`
    case 'insert':
      return `Cell ${cell_id} has been inserted ${call.cell_id === undefined ? 'at the start' : `after ${call.cell_id}`}`
    case 'delete':
      return `Cell ${cell_id} has been deleted`
  }
}

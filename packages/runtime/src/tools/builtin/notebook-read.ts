/** NotebookRead: the cells of a Jupyter notebook with their outputs. Records what was seen. */
import type { Tool, ToolContext, ToolStep } from '@toolwire/core'
import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { keepSeen } from '../files/blobs.ts'
import { examine } from '../files/examine.ts'
import { hashOf, recordSeen } from '../files/ledger.ts'
import { type Cell, findCell, isCell, type Notebook, openNotebook } from '../notebooks/notebook.ts'
import { imageBudget, MAX_IMAGES, MAX_OUTPUT_CHARS, type Shown, showCell } from '../notebooks/show-cell.ts'

/** Beyond this the rest is left for calls with cell_id. */
const MAX_CHARS = 30_000
const MAX_LISTED = 200

const input = z.strictObject({
  notebook_path: z.string().describe('Absolute path of the .ipynb file'),
  cell_id: z.string().optional().describe('Only this cell; all of them when absent'),
})
type Input = z.output<typeof input>

export const createNotebookReadTool = (): Tool<Input> =>
  defineTool({
    name: 'NotebookRead',
    type: 'builtin',
    description:
      'Reads a Jupyter notebook (.ipynb): every cell with its id, source and outputs. Long notebooks are paged: give cell_id for the cells that are left out.',
    input,
    limits: [
      { name: 'output', value: `${MAX_OUTPUT_CHARS} characters each` },
      { name: 'notebook', value: `${MAX_CHARS} characters per call; the rest by cell_id` },
      { name: 'images', value: `${MAX_IMAGES} per call` },
    ],
    isReadOnly: () => true,
    subject: async ({ notebook_path }, context) => ({
      type: 'path',
      path: (await examine(notebook_path, context)).path,
      write: false,
    }),
    access: async ({ notebook_path }, context) => [
      { key: `file:${(await examine(notebook_path, context)).path}`, mode: 'read' },
    ],
    async validate({ notebook_path, cell_id }, context) {
      const opened = await openNotebook(notebook_path, context)
      if (!opened.ok) return opened.problem
      if (cell_id === undefined) return undefined
      const cell = findCell(opened.notebook, cell_id)
      return isCell(cell) ? undefined : cell
    },
    async *call({ notebook_path, cell_id }, context) {
      yield await readNotebook(notebook_path, cell_id, context)
    },
    view: ({ notebook_path, cell_id }) => ({
      title: cell_id === undefined ? notebook_path : `${notebook_path} · ${cell_id}`,
      kind: 'notebook',
      body: { path: notebook_path, ...(cell_id === undefined ? {} : { cell_id }) },
    }),
  })

/** The whole notebook, or one cell of it, as one step. Never throws for anything the file is. */
async function readNotebook(
  given: string,
  cell_id: string | undefined,
  context: ToolContext,
): Promise<ToolStep> {
  const opened = await openNotebook(given, context)
  if (!opened.ok) return { type: 'failure', ...opened.problem }
  const { notebook, path, bytes, file } = opened
  const wanted = cell_id === undefined ? notebook.cells : [findCell(notebook, cell_id)]
  const problem = wanted.find(cell => !isCell(cell))
  if (problem && !isCell(problem)) return { type: 'failure', ...problem }
  const cells = wanted.filter(isCell)
  const shown = fitting(cells, notebook)
  const seen = cells.slice(0, shown.length)
  recordSeen(context, path, {
    sha256: hashOf(bytes),
    size: opened.size,
    mtime: opened.mtime,
    seen: seen.length === notebook.cells.length ? 'all' : seen.map(cell => cell.lines),
    charset: file.charset.name,
    eol: file.eol,
    bom: file.charset.bom > 0,
  })
  await keepSeen(context, bytes)
  const left = cells.slice(shown.length)
  const images = shown.flatMap(one => one.images)
  return {
    type: 'result',
    output_text: [...shown.map(one => one.text), ...notes(notebook, left, path)].join('\n'),
    ...(images.length === 0 ? {} : { content: images }),
    structured: {
      path,
      language: notebook.language,
      total_cells: notebook.cells.length,
      cells: seen.map(cell => ({ id: cell.id, type: cell.type })),
      ...(left.length === 0 ? {} : { truncated: true, next_cell_id: left[0]?.id }),
    },
    view: { title: path, kind: 'notebook', body: { path } },
  }
}

/** As many cells as fit, at least one. */
function fitting(cells: readonly Cell[], notebook: Notebook): readonly Shown[] {
  const budget = imageBudget()
  const shown: Shown[] = []
  let chars = 0
  for (const cell of cells) {
    const one = showCell(cell, notebook.language, budget)
    chars += one.text.length + 1
    if (chars > MAX_CHARS && shown.length > 0) break
    shown.push(one)
  }
  return shown
}

function notes(notebook: Notebook, left: readonly Cell[], path: string): readonly string[] {
  if (notebook.cells.length === 0) return [`[${path}: the notebook has no cells]`]
  if (left.length === 0) return []
  const listed = left.slice(0, MAX_LISTED).map(cell => cell.id)
  const more = left.length > listed.length ? ', …' : ''
  return [
    `[${left.length} of ${notebook.cells.length} cells are not shown; read them with cell_id: ${listed.join(', ')}${more}]`,
  ]
}

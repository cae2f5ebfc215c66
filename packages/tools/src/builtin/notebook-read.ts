/** NotebookRead: the cells of a Jupyter notebook with their outputs. Records what was seen. */
import type { Tool } from '@toolwire/core'
import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import type { FindScaler } from '../files/fit-image.ts'
import { inspectPath } from '../files/inspect-path.ts'
import { readSubject } from '../files/path-subject.ts'
import { findNotebook } from '../notebooks/find-notebook.ts'
import { MAX_IMAGES, MAX_NOTEBOOK_CHARS, MAX_OUTPUT_CHARS } from '../notebooks/notebook-bounds.ts'

const input = z.strictObject({
  notebook_path: z.string().describe('Absolute, or relative to the working directory'),
  cell_id: z.string().optional().describe('Only this cell; all of them when absent'),
})
type NotebookReadInput = z.output<typeof input>

/** `findScaler` scales images down; the optional package if absent. */
export const createNotebookReadTool = (
  options: { readonly findScaler?: FindScaler } = {},
): Tool<NotebookReadInput> =>
  defineTool({
    name: 'NotebookRead',
    type: 'builtin',
    superseded_by: 'Read',
    description:
      'Reads a Jupyter notebook (.ipynb): every cell with its id, source and outputs. Long notebooks are paged: give cell_id for the cells that are left out.',
    input,
    limits: [
      { name: 'output', value: `${MAX_OUTPUT_CHARS} characters each` },
      { name: 'notebook', value: `${MAX_NOTEBOOK_CHARS} characters per call; the rest by cell_id` },
      { name: 'images', value: `${MAX_IMAGES} per call` },
    ],
    isReadOnly: () => true,
    subject: ({ notebook_path }, context) => readSubject(notebook_path, context),
    access: async ({ notebook_path }, context) => [
      { key: `file:${(await inspectPath(notebook_path, context)).path}`, mode: 'read' },
    ],
    async validate({ notebook_path }, context) {
      const found = await findNotebook(notebook_path, context)
      return found.ok ? undefined : found.problem
    },
    async *call({ notebook_path, cell_id }, context) {
      const { readNotebook } = await import('../notebooks/read-notebook.ts')
      yield await readNotebook({ path: notebook_path, cell_id, ...options }, context)
    },
    view: ({ notebook_path, cell_id }) => ({
      title: cell_id === undefined ? notebook_path : `${notebook_path} · ${cell_id}`,
      kind: 'notebook',
      body: { path: notebook_path, ...(cell_id === undefined ? {} : { cell_id }) },
    }),
  })

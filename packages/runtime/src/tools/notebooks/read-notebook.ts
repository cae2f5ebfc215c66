/** A notebook as one answer for the model: cells, outputs, pictures within bounds. Records what was seen. */
import type { ContentPart, ToolContext, ToolStep } from '@toolwire/core'
import { keepSeen } from '../files/blobs.ts'
import { type FindScaler, fitImage } from '../files/fit-image.ts'
import { hashOf, recordSeen } from '../files/ledger.ts'
import { type Cell, findCell, isCell, type Notebook, openNotebook } from './notebook.ts'
import { MAX_NOTEBOOK_CHARS } from './notebook-bounds.ts'
import { imageBudget, type Shown, showCell } from './show-cell.ts'

const MAX_LISTED = 200

export interface NotebookRequest {
  readonly path: string
  /** Only this cell; all of them when absent. */
  readonly cell_id?: string | undefined
  /** How pictures are scaled down; by the optional package when absent. */
  readonly findScaler?: FindScaler | undefined
}

/** The whole notebook, or one cell of it, as one step. Never throws for anything the file is. */
export async function readNotebook(request: NotebookRequest, context: ToolContext): Promise<ToolStep> {
  const { cell_id } = request
  const opened = await openNotebook(request.path, context)
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
  const pictures = await fitPictures(
    shown.flatMap(one => one.images),
    request.findScaler,
  )
  return {
    type: 'result',
    output_text: [...shown.map(one => one.text), ...notes(notebook, left, path), ...pictures.notes].join(
      '\n',
    ),
    ...(pictures.images.length === 0 ? {} : { content: pictures.images }),
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
    if (chars > MAX_NOTEBOOK_CHARS && shown.length > 0) break
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

/** Pictures that no model would take are left out, and why is said. */
async function fitPictures(
  given: readonly ContentPart[],
  findScaler: FindScaler | undefined,
): Promise<{ readonly images: readonly ContentPart[]; readonly notes: readonly string[] }> {
  const images: ContentPart[] = []
  const notes: string[] = []
  for (const [index, part] of given.entries()) {
    if (part.type !== 'image' || part.source.type !== 'base64') continue
    const fit = await fitImage(Buffer.from(part.source.data, 'base64'), findScaler)
    if (!fit.ok) {
      notes.push(`[Picture ${index + 1} is not shown: it ${fit.reason}]`)
      continue
    }
    const { media_type, data } = fit.image
    const source = { type: 'base64', media_type, data: Buffer.from(data).toString('base64') } as const
    images.push({ ...part, source })
  }
  return { images, notes }
}

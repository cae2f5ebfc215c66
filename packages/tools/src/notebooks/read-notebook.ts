/** A notebook as one result for the model: cells, outputs, images within bounds. Records what was seen. */
import type { ContentPart, ToolContext, ToolStep } from '@toolwire/core'
import { keepSeen } from '../files/blobs.ts'
import { type FindScaler, fitImage } from '../files/fit-image.ts'
import { hashOf, recordSeen } from '../files/ledger.ts'
import { offload } from '../offload/offload.ts'
import { readWhole } from '../safe-files/open-file.ts'
import { findNotebook, inFile } from './find-notebook.ts'
import type { ShownNotebook } from './show-notebook.ts'

export interface NotebookRequest {
  readonly path: string
  /** Only this cell; all of them when absent. */
  readonly cell_id?: string | undefined
  /** Scales images down; the optional package if absent. */
  readonly findScaler?: FindScaler | undefined
}

/** The whole notebook, or one cell of it, as one step. Never throws for anything the file is. */
export async function readNotebook(request: NotebookRequest, context: ToolContext): Promise<ToolStep> {
  const found = await findNotebook(request.path, context)
  if (!found.ok) return { type: 'failure', ...found.problem }
  const { path, size, mtime } = found
  const bytes = await readWhole(path)
  const page = await offload('showNotebook', [bytes, request.cell_id])
  if (!page.ok) return { type: 'failure', ...inFile(page.problem, path) }
  const { shown, cells, total, style } = page
  const seen = cells.length === total ? 'all' : cells.map(cell => cell.lines)
  recordSeen(context, path, { sha256: hashOf(bytes), size, mtime, seen, ...style })
  await keepSeen(context, bytes)
  const pictures = await fitPictures(
    shown.flatMap(one => one.images),
    request.findScaler,
  )
  return {
    type: 'result',
    output_text: [...shown.map(one => one.text), ...notes(page, path), ...pictures.notes].join('\n'),
    ...(pictures.images.length === 0 ? {} : { content: pictures.images }),
    structured: {
      path,
      language: page.language,
      total_cells: total,
      cells: cells.map(({ id, type }) => ({ id, type })),
      ...(page.left === 0 ? {} : { truncated: true, next_cell_id: page.left_ids[0] }),
    },
    view: { title: path, kind: 'notebook', body: { path } },
  }
}

function notes({ total, left, left_ids }: ShownNotebook, path: string): readonly string[] {
  if (total === 0) return [`[${path}: the notebook has no cells]`]
  if (left === 0) return []
  const more = left > left_ids.length ? ', …' : ''
  return [`[${left} of ${total} cells are not shown; read them with cell_id: ${left_ids.join(', ')}${more}]`]
}

/** Images that no model would accept are omitted, with the reason. */
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

/** The visible part of a notebook in one result: as many cells as fit, and the omitted ones. Pure. */
import type { ToolProblem } from '@toolwire/core'
import type { FileStyle } from '../files/new-file-style.ts'
import { readText, styleOf } from '../files/text-file.ts'
import { type Cell, findCell, isCell, type Notebook, parseNotebook } from './notebook.ts'
import { MAX_NOTEBOOK_CHARS } from './notebook-bounds.ts'
import { type CellText, imageBudget, showCell } from './show-cell.ts'

const MAX_LISTED = 200

export interface ShownNotebook {
  readonly ok: true
  readonly style: FileStyle
  readonly language: string
  /** Cells of the notebook. */
  readonly total: number
  readonly shown: readonly CellText[]
  /** The cells that are shown. */
  readonly cells: readonly Pick<Cell, 'id' | 'type' | 'lines'>[]
  /** Cells that were wanted and did not fit. */
  readonly left: number
  /** Ids of the first of these. */
  readonly left_ids: readonly string[]
}

/** All cells, or the one of this id. Never throws for anything the file is. */
export function showNotebook(
  bytes: Uint8Array,
  cell_id: string | undefined,
): ShownNotebook | { readonly ok: false; readonly problem: ToolProblem } {
  const file = readText(bytes)
  const parsed = parseNotebook(file.view)
  if (!parsed.ok) return parsed
  const { notebook } = parsed
  const wanted = cell_id === undefined ? notebook.cells : [findCell(notebook, cell_id)]
  const problem = wanted.find(cell => !isCell(cell))
  if (problem && !isCell(problem)) return { ok: false, problem }
  const cells = wanted.filter(isCell)
  const shown = fitting(cells, notebook)
  const left = cells.slice(shown.length)
  return {
    ok: true,
    style: styleOf(file),
    language: notebook.language,
    total: notebook.cells.length,
    shown,
    cells: cells.slice(0, shown.length).map(({ id, type, lines }) => ({ id, type, lines })),
    left: left.length,
    left_ids: left.slice(0, MAX_LISTED).map(cell => cell.id),
  }
}

/** As many cells as fit, at least one. */
function fitting(cells: readonly Cell[], notebook: Notebook): readonly CellText[] {
  const budget = imageBudget()
  const shown: CellText[] = []
  let chars = 0
  for (const cell of cells) {
    const one = showCell(cell, notebook.language, budget)
    chars += one.text.length + 1
    if (chars > MAX_NOTEBOOK_CHARS && shown.length > 0) break
    shown.push(one)
  }
  return shown
}

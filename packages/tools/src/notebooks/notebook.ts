/** A Jupyter notebook as tools see it: its cells, each with its position in the file. */
import type { ToolProblem } from '@toolwire/core'
import { createLineFinder } from '../files/line-finder.ts'
import { type ArrayPlace, findArray, type Span } from './json-places.ts'

export type Fields = Readonly<Record<string, unknown>>

export interface Cell {
  /** Its own id, or `cell-N` by its place when it has none. */
  readonly id: string
  readonly type: string
  readonly source: string
  readonly fields: Fields
  readonly span: Span
  /** First and last line in the file, counted from 1. */
  readonly lines: readonly [number, number]
}

export interface Notebook {
  readonly text: string
  readonly minor: number
  readonly language: string
  readonly cells: readonly Cell[]
  readonly place: ArrayPlace
  /** The parsed document. */
  readonly fields: Fields
}

export type ParseResult =
  | { readonly ok: true; readonly notebook: Notebook }
  | { readonly ok: false; readonly problem: ToolProblem }

const no = (code: string, message: string): { readonly ok: false; readonly problem: ToolProblem } => ({
  ok: false,
  problem: { code, message },
})

export function parseNotebook(text: string): ParseResult {
  const fields = parseObject(text)
  if (typeof fields === 'string') return no('bad_notebook', `it is not valid JSON: ${fields}.`)
  const { nbformat, nbformat_minor: minor } = fields
  if (nbformat !== 4)
    return no(
      'bad_notebook',
      typeof nbformat === 'number'
        ? `its format is nbformat ${nbformat}; only version 4 is supported. Convert it with: jupyter nbconvert --to notebook.`
        : 'it has no nbformat, so it is no notebook.',
    )
  const place = findArray(text, 'cells')
  const { cells } = fields
  if (!place || !Array.isArray(cells)) return no('bad_notebook', 'it has no list of cells.')
  const wrong = cells.findIndex(cell => !isFields(cell))
  if (wrong !== -1) return no('bad_notebook', `cell ${wrong} is not an object.`)
  return {
    ok: true,
    notebook: {
      text,
      fields,
      place,
      minor: typeof minor === 'number' ? minor : 0,
      language: languageOf(fields),
      cells: toCells(text, cells as readonly Fields[], place),
    },
  }
}

/** Parsed cells and places come from the same text, so they agree in number and order. */
function toCells(text: string, cells: readonly Fields[], place: ArrayPlace): readonly Cell[] {
  const lineAt = createLineFinder(text)
  return cells.map((fields, index) => {
    const span = place.elements[index] ?? place.whole
    const first = lineAt(span.start)
    const last = lineAt(span.end)
    return {
      id: typeof fields['id'] === 'string' ? fields['id'] : `cell-${index}`,
      type: typeof fields['cell_type'] === 'string' ? fields['cell_type'] : 'raw',
      source: joinLines(fields['source']),
      fields,
      span,
      lines: [first, last],
    }
  })
}

/** The cell of this id, or an error with the ids that exist. */
export function findCell(notebook: Notebook, id: string): Cell | ToolProblem {
  const found = notebook.cells.filter(cell => cell.id === id)
  const [cell] = found
  if (found.length > 1)
    return {
      code: 'ambiguous_cell',
      message: `${found.length} cells have the id ${id}; it names none of them.`,
    }
  if (cell) return cell
  const known = notebook.cells.slice(0, 20).map(one => one.id)
  const more = notebook.cells.length > known.length ? `, … (${notebook.cells.length} cells)` : ''
  const list = known.length === 0 ? 'The notebook has no cells.' : `Cells: ${known.join(', ')}${more}.`
  return { code: 'cell_not_found', message: `No cell has the id ${id}. ${list}` }
}

export const isCell = (found: Cell | ToolProblem): found is Cell => 'span' in found

/** Text that may be a string or a list of lines that carry their own line ends. */
export function joinLines(value: unknown): string {
  if (typeof value === 'string') return value
  return Array.isArray(value) ? value.filter(line => typeof line === 'string').join('') : ''
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function parseObject(text: string): Fields | string {
  try {
    const value: unknown = JSON.parse(text)
    return isFields(value) ? value : 'the outermost value is no object'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function languageOf(fields: Fields): string {
  const metadata = isFields(fields['metadata']) ? fields['metadata'] : {}
  for (const [part, name] of [
    ['language_info', 'name'],
    ['kernelspec', 'language'],
  ] as const) {
    const info = metadata[part]
    const language = isFields(info) ? info[name] : undefined
    if (typeof language === 'string' && language !== '') return language
  }
  return 'python'
}

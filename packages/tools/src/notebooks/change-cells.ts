/**
 * One change of a notebook's cells as a replacement of text. Everything outside the changed
 * cell stays byte for byte, and the changed one is written in the style of the file.
 */
import { createHash } from 'node:crypto'
import type { ToolProblem } from '@toolwire/core'
import type { Span } from './json-places.ts'
import { type Cell, type Fields, findCell, isCell, type Notebook, parseNotebook } from './notebook.ts'
import { notebookProblems } from './notebook-problems.ts'

export interface CellChange {
  readonly mode: 'replace' | 'insert' | 'delete'
  readonly cell_id?: string | undefined
  readonly source: string
  readonly type?: 'code' | 'markdown' | 'raw' | undefined
  /** The seed of a new cell's id: the same text gives the same id. */
  readonly seed: string
}

export interface PlannedChange {
  /** The part of the text to replace. */
  readonly span: Span
  readonly replacement: string
  readonly cell_id: string
  readonly old_source: string
  readonly type: string
  /** Lines of the file whose content must have been seen; undefined when nothing is taken away. */
  readonly touched: readonly [number, number] | undefined
  /** Problems that the notebook already had. */
  readonly problems: readonly string[]
}

export type CellChangeResult =
  | { readonly ok: true; readonly change: PlannedChange }
  | { readonly ok: false; readonly problem: ToolProblem }

/** Refuses a change that would leave the notebook invalid where it was not. Pure. */
export function planCells(notebook: Notebook, change: CellChange): CellChangeResult {
  const cell = change.cell_id === undefined ? undefined : findCell(notebook, change.cell_id)
  if (cell && !isCell(cell)) return { ok: false, problem: cell }
  const planned = plan(notebook, change, cell)
  if (!planned) return { ok: false, problem: { message: `${change.mode} needs cell_id.` } }
  const { span, replacement } = planned
  const text = notebook.text.slice(0, span.start) + replacement + notebook.text.slice(span.end)
  const after = parseNotebook(text)
  if (!after.ok) return after
  const before = problemsOf(notebook)
  const now = problemsOf(after.notebook)
  // Counted, not compared: cells are named by their place, which a change may shift.
  if (now.length > before.length)
    return {
      ok: false,
      problem: { code: 'bad_notebook', message: `The notebook would not be valid: ${now.join('; ')}.` },
    }
  return { ok: true, change: { ...planned, problems: now } }
}

const problemsOf = ({ cells, minor }: Notebook): readonly string[] =>
  notebookProblems(
    cells.map(cell => cell.fields),
    minor,
  )

type ChangeDraft = Omit<PlannedChange, 'problems'>

function plan(notebook: Notebook, change: CellChange, cell: Cell | undefined): ChangeDraft | undefined {
  if (change.mode === 'insert') return insert(notebook, change, cell)
  if (!cell) return undefined
  const { id: cell_id, source: old_source, lines: touched } = cell
  if (change.mode === 'delete')
    return { ...removal(notebook, cell), cell_id, old_source, type: cell.type, touched }
  const fields = rewritten(cell, change)
  const type = change.type ?? cell.type
  return { span: cell.span, replacement: write(notebook, fields, cell), cell_id, old_source, type, touched }
}

/** Keys stay where they are; Jupyter sorts them, so where they are sorted new ones go to their place. */
function rewritten(cell: Cell, change: CellChange): Fields {
  const type = change.type ?? cell.type
  const source = toLines(change.source, typeof cell.fields['source'] === 'string')
  const ran = type === 'code' ? { execution_count: null, outputs: [] } : {}
  const foreign = type === 'code' ? ['attachments'] : ['execution_count', 'outputs']
  const entries = Object.entries({ ...cell.fields, cell_type: type, source, ...ran })
  const kept = entries.filter(([key]) => !foreign.includes(key))
  const keys = Object.keys(cell.fields)
  const sorted = keys.every((key, i) => i === 0 || (keys[i - 1] ?? '') < key)
  return Object.fromEntries(sorted ? kept.sort(([a], [b]) => (a < b ? -1 : 1)) : kept)
}

function insert(notebook: Notebook, change: CellChange, after: Cell | undefined): ChangeDraft {
  const type = change.type ?? 'code'
  const asText =
    notebook.cells.length > 0 && notebook.cells.every(cell => typeof cell.fields['source'] === 'string')
  const id = newId(notebook, change.seed)
  const fields: Fields = {
    cell_type: type,
    ...(type === 'code' ? { execution_count: null } : {}),
    ...(notebook.minor >= 5 ? { id } : {}),
    metadata: {},
    ...(type === 'code' ? { outputs: [] } : {}),
    source: toLines(change.source, asText),
  }
  const index = after ? notebook.cells.indexOf(after) + 1 : 0
  const cell_id = notebook.minor >= 5 ? id : `cell-${index}`
  return { ...placed(notebook, fields, after), cell_id, old_source: '', type, touched: undefined }
}

/** The position of a new cell, with the spacing and commas of its neighbors. */
function placed(
  notebook: Notebook,
  fields: Fields,
  after: Cell | undefined,
): Pick<ChangeDraft, 'span' | 'replacement'> {
  const { text, place, cells } = notebook
  const [first] = cells
  const unit = indentOf(text)
  if (!first) {
    const lead = unit === '' ? '' : `\n${unit}${unit}`
    const close = unit === '' ? '' : `\n${unit}`
    const body = serialise(notebook, fields, unit + unit)
    return { span: place.whole, replacement: `[${lead}${body}${close}]` }
  }
  const second = cells[1]
  const between = second
    ? text.slice(first.span.end, second.span.start)
    : `,${text.slice(place.whole.start + 1, first.span.start)}`
  const body = write(notebook, fields, first)
  const at = after ? after.span.end : first.span.start
  return {
    span: { start: at, end: at },
    replacement: after ? `${between}${body}` : `${body}${between}`,
  }
}

/** A cell goes with the comma before it, or after it when it is the first. */
function removal({ cells, place }: Notebook, cell: Cell): Pick<ChangeDraft, 'span' | 'replacement'> {
  const index = cells.indexOf(cell)
  const before = cells[index - 1]
  const next = cells[index + 1]
  if (next) return { span: { start: cell.span.start, end: next.span.start }, replacement: '' }
  if (before) return { span: { start: before.span.end, end: cell.span.end }, replacement: '' }
  return { span: place.whole, replacement: '[]' }
}

/** As `like` is written: its place on the line, the width of the file's indentation. */
function write(notebook: Notebook, fields: Fields, like: Cell): string {
  const { text } = notebook
  const line = text.slice(text.lastIndexOf('\n', like.span.start - 1) + 1, like.span.start)
  return serialise(notebook, fields, /^[ \t]*$/.test(line) ? line : '')
}

function serialise({ text }: Notebook, fields: Fields, base: string): string {
  const plain = JSON.stringify(fields, null, indentOf(text)).replaceAll('\n', `\n${base}`)
  if (!isAscii(text)) return plain
  return plain.replaceAll(
    /[\u0080-\uffff]/g,
    char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** The file writes other letters as escapes: a new cell does the same. */
const isAscii = (text: string): boolean =>
  /\\u(?!00[0-7])[0-9a-fA-F]{4}/.test(text) && !/[\u0080-\uffff]/.test(text)

/** The indentation of one level: that of the first indented line. Empty for a file on one line. */
const indentOf = (text: string): string => /\n([ \t]+)\S/.exec(text)?.[1] ?? ''

/** A list of lines that keep their line ends, or one text where the file has it so. */
function toLines(source: string, asText: boolean): string | readonly string[] {
  const text = source.replaceAll('\r\n', '\n')
  return asText ? text : (text.match(/[^\n]*\n|[^\n]+/g) ?? [])
}

function newId(notebook: Notebook, seed: string): string {
  for (let n = 0; ; n++) {
    const id = createHash('sha256').update(`${seed}/${n}`).digest('hex').slice(0, 8)
    if (!notebook.cells.some(cell => cell.id === id)) return id
  }
}

/** Separates tables with data from tables for layout. */
import { outermost } from './html-nodes.ts'
import type { HtmlElement } from './parse-html.ts'

const ROWS = new Set(['tr', 'table'])
const CELLS = new Set(['td', 'th', 'table'])
/** Elements that no cell of a data table holds. */
const STRUCTURE = new Set(['table', 'ul', 'ol', 'pre', 'blockquote', 'h1', 'h2', 'h3'])

/** The cells of every row; undefined for a table that is not one of data. */
export function tableRows(table: HtmlElement): readonly (readonly HtmlElement[])[] | undefined {
  const rows = outermost(table.children, ROWS).map(row => outermost(row.children, CELLS))
  const cells = rows.flat()
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0)
  if (width < 2) return undefined
  if (cells.some(cell => cell.name === 'table' || outermost(cell.children, STRUCTURE).length > 0))
    return undefined
  return rows.filter(row => row.length > 0)
}

/** Comma-separated values and what can be computed from them. Pure. */
export interface Table {
  readonly header: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** Undefined when the text is no table of at least two columns and one row. */
export function parseTable(lines: readonly string[]): Table | undefined {
  const rows = lines.filter(line => line.trim() !== '').map(line => line.split(',').map(cell => cell.trim()))
  const [header, ...body] = rows
  if (!header || header.length < 2 || body.length === 0) return undefined
  return { header, rows: body.filter(row => row.length === header.length) }
}

export const isNumeric = ({ rows }: Table, column: number): boolean =>
  rows.length > 0 && rows.every(row => row[column] !== '' && Number.isFinite(Number(row[column])))

export const numbersOf = ({ rows }: Table, column: number): readonly number[] =>
  rows.map(row => Number(row[column]))

/** Rows in descending order of a column. */
export const sortedBy = (table: Table, column: number): Table => ({
  ...table,
  rows: table.rows.toSorted((a, b) => Number(b[column]) - Number(a[column])),
})

export function toMarkdown({ header, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const table = { header, rows }
  const rule = header.map((_, column) => (isNumeric(table, column) ? '---:' : '---'))
  return [line(header), line(rule), ...rows.map(line)].join('\n')
}

/** One bar per row, in text. */
export function toBars(table: Table, label: number, column: number): string {
  const numbers = numbersOf(table, column)
  const most = Math.max(1, ...numbers)
  const width = Math.max(...table.rows.map(row => (row[label] ?? '').length))
  return table.rows
    .map((row, at) => {
      const value = numbers[at] ?? 0
      return `${(row[label] ?? '').padEnd(width)} ${'█'.repeat(Math.round((30 * value) / most))} ${value}`
    })
    .join('\n')
}

/** The first Markdown table of a text, as comma-separated values. */
export function markdownToCsv(text: string): string | undefined {
  const lines = text.split('\n').filter(line => /^\s*\|.*\|\s*$/.test(line))
  const rows = lines
    .map(line =>
      line
        .trim()
        .slice(1, -1)
        .split('|')
        .map(cell => cell.trim()),
    )
    .filter(cells => !cells.every(cell => /^:?-+:?$/.test(cell)))
  return rows.length < 2 ? undefined : `${rows.map(cells => cells.join(',')).join('\n')}\n`
}

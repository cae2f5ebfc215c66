/** A CSV file as rows of cells. */
const MAX_ROWS = 200

/** The first rows of a CSV file; quotes hold commas, line ends and doubled quotes. Pure. */
export function csvRows(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [[]]
  const pattern = /("(?:[^"]|"")*"|[^,\r\n]*)(,|\r?\n|$)/g
  for (let match = pattern.exec(text); match && rows.length <= MAX_ROWS; match = pattern.exec(text)) {
    const [whole, cell = '', end = ''] = match
    rows.at(-1)?.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell)
    if (whole === '' || pattern.lastIndex >= text.length) break
    if (end !== ',') rows.push([])
  }
  return rows.filter(row => row.some(cell => cell !== ''))
}

/** Columns that line up, also with Chinese text. */
import { padText, textWidth } from './width.ts'

/** Rows of cells as lines; the last column is not padded. */
export function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths: number[] = []
  for (const row of rows)
    row.forEach((cell, at) => {
      widths[at] = Math.max(widths[at] ?? 0, textWidth(cell))
    })
  return rows.map(row =>
    row
      .map((cell, at) => (at === row.length - 1 ? cell : padText(cell, (widths[at] ?? 0) + 2)))
      .join('')
      .trimEnd(),
  )
}

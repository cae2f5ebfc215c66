/** Rows of text as a Markdown table. */

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(clean).join(' | ')} |`
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n')
}

/** A cell holds one line, and a bar would end it. */
const clean = (cell: string): string => cell.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').slice(0, 200)

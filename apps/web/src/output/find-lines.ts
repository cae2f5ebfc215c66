/** Numbers of the lines that hold a text, whatever its case; none for an empty text. */
export function findLines(lines: readonly string[], wanted: string): readonly number[] {
  const text = wanted.trim().toLowerCase()
  if (text === '') return []
  return lines.flatMap((line, index) => (line.toLowerCase().includes(text) ? [index] : []))
}

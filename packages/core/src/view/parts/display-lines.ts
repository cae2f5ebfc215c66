/** Text as lines that a browser can lay out: it takes seconds for one line of a megabyte. */

/** Characters of one line that are shown in place. */
const WIDE = 1000

/** Lines in full length, as they are copied and saved. */
export const toLines = (text: string): readonly string[] => text.replace(/\n$/, '').split('\n')

/** The beginning of a line; the end is in the pane. */
export const shortLine = (line: string): string => (line.length > WIDE ? `${line.slice(0, WIDE)}…` : line)

/** At most 40 lines, each at most as long as `shortLine` leaves it; the rest is in the arguments. */
export function shortText(text: string): string {
  const lines = toLines(text)
  const shown = lines.slice(0, 40).map(shortLine).join('\n')
  return lines.length > 40 ? `${shown}\n…` : shown
}

/** Whether `shortLine` would leave something out. */
export const hasWideLine = (lines: readonly string[]): boolean => lines.some(line => line.length > WIDE)

/** The same text with wide lines broken into several, nothing left out. */
export const breakLines = (lines: readonly string[]): readonly string[] =>
  hasWideLine(lines) ? lines.flatMap(breakLine) : lines

function breakLine(line: string): readonly string[] {
  if (line.length <= WIDE) return [line]
  return Array.from({ length: Math.ceil(line.length / WIDE) }, (_, i) => line.slice(i * WIDE, (i + 1) * WIDE))
}

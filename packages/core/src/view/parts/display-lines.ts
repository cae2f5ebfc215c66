/** Text as lines that a browser can lay out: it takes seconds for one line of a megabyte. */

/** Characters of one line that are shown in place. */
const WIDE = 1000

/** The beginning of a line; the end is in the pane. */
export const shortLine = (line: string): string => (line.length > WIDE ? `${line.slice(0, WIDE)}…` : line)

/** At most 40 lines, each at most as long as `shortLine` leaves it; the rest is in the arguments. */
export function shortText(text: string): string {
  const lines = firstLines(text, 41)
  const shown = lines.slice(0, 40).map(shortLine).join('\n')
  return lines.length > 40 ? `${shown}\n…` : shown
}

export interface TextEnds {
  /** The first lines, or all of them where there are few. */
  readonly head: readonly string[]
  readonly tail: readonly string[]
  /** Lines between the two. */
  readonly hidden: number
  /** Some line here is longer than it is shown. */
  readonly wide: boolean
}

/** How many lines of the beginning and of the end to show; `spare` more in all are not worth hiding. */
export interface EndSizes {
  readonly head: number
  readonly tail: number
  readonly spare?: number
}

/** Both ends of a text, cut as `shortLine` cuts. What is between them is counted and not taken apart. */
export function textEnds(text: string, { head, tail, spare = 0 }: EndSizes): TextEnds {
  const count = countLines(text)
  const few = count <= head + tail + spare
  const first = firstLines(text, few ? count : head)
  const last = few ? [] : lastLines(text, tail)
  return {
    head: first.map(shortLine),
    tail: last.map(shortLine),
    hidden: few ? 0 : count - head - tail,
    wide: hasWideLine(first) || hasWideLine(last),
  }
}

/** How many there are; a break at the end begins none. */
export function countLines(text: string): number {
  let count = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < text.length - 1; at = text.indexOf('\n', at + 1))
    count += 1
  return count
}

function firstLines(text: string, count: number): readonly string[] {
  const lines: string[] = []
  for (let from = 0; lines.length < count && (from < text.length || from === 0); ) {
    const at = text.indexOf('\n', from)
    const end = at < 0 ? text.length : at
    lines.push(text.slice(from, end))
    from = end + 1
  }
  return lines
}

function lastLines(text: string, count: number): readonly string[] {
  const lines: string[] = []
  let end = text.endsWith('\n') ? text.length - 1 : text.length
  while (lines.length < count && end >= 0) {
    const at = end === 0 ? -1 : text.lastIndexOf('\n', end - 1)
    lines.unshift(text.slice(at + 1, end))
    end = at
  }
  return lines
}

const hasWideLine = (lines: readonly string[]): boolean => lines.some(line => line.length > WIDE)

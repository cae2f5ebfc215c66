/** Text as lines that a browser can lay out: it takes seconds for one line of a megabyte. */

/** Characters of one line that are shown in place, the last of them from its end. */
const WIDE = 1000
const WIDE_END = 300

/** Both ends of a line that is too wide, and how many characters are between them; all of it is in the full view. */
export function shortLine(line: string): string {
  if (line.length <= WIDE) return line
  const from = wholeCharacter(line, WIDE - WIDE_END)
  const to = wholeCharacter(line, line.length - WIDE_END)
  return `${line.slice(0, from)} ${omitted(to - from)} ${line.slice(to)}`
}

/** Not between the two halves of one character. */
const wholeCharacter = (line: string, at: number): number =>
  /[\uDC00-\uDFFF]/.test(line[at] ?? '') ? at - 1 : at

const omitted = (count: number): string => `⟨…${count}…⟩`

/** At most forty lines of both ends, each as `shortLine` leaves it, and how many are between them. */
export function shortText(text: string): string {
  const { head, tail, hidden } = textEnds(text, PROMPT_ENDS)
  return [...head, ...(hidden > 0 ? [omitted(hidden)] : []), ...tail].join('\n')
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

/** Number of lines shown at the start and at the end; up to `spare` more are not hidden. */
export interface EndSizes {
  readonly head: number
  readonly tail: number
  readonly spare?: number
}

/** Of a command, of other text, of output that still grows, and of text inside of a sentence. */
export const COMMAND_ENDS: EndSizes = { head: 30, tail: 10, spare: 5 }
export const OUTPUT_ENDS: EndSizes = { head: 20, tail: 10, spare: 5 }
export const LIVE_ENDS: EndSizes = { head: 0, tail: 8 }
export const PROMPT_ENDS: EndSizes = { head: 30, tail: 10 }

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

/** True if the ends are shorter than the text. */
export function isShortened(text: string, sizes: EndSizes): boolean {
  const { hidden, wide } = textEnds(text, sizes)
  return hidden > 0 || wide
}

/** Number of lines; a final line break starts none. */
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

const hasWideLine = (lines: readonly string[]): boolean => lines.some(isWide)

/** True if a line exceeds the display width. */
export const isWide = (line: string): boolean => line.length > WIDE

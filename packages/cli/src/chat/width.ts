/** Columns that a text takes in a terminal: East Asian wide characters and emoji take two, marks none. */
import { stripVTControlCharacters } from 'node:util'

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u
const ZERO = /\p{Mn}|\p{Me}|[\u200b-\u200f]|\u2060/u

const segments = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** Columns of one character as a person sees it. */
const columnsOf = (grapheme: string): number => {
  const [first = ''] = grapheme
  if (ZERO.test(first)) return 0
  return WIDE.test(first) || grapheme.includes('\ufe0f') ? 2 : 1
}

/** Escape codes take no columns. */
export function textWidth(text: string): number {
  let width = 0
  for (const { segment } of segments.segment(stripVTControlCharacters(text))) width += columnsOf(segment)
  return width
}

/** Lines of at most `width` columns. Breaks at a space where the line has one, else inside a word. Plain text only. */
export function wrapText(text: string, width: number): readonly string[] {
  return text.split('\n').flatMap(line => wrapLine(line.replaceAll('\t', '  '), Math.max(1, width)))
}

function wrapLine(line: string, width: number): readonly string[] {
  if (textWidth(line) <= width) return [line]
  const lines: string[] = []
  let current = ''
  let columns = 0
  for (const { segment } of segments.segment(line)) {
    const more = columnsOf(segment)
    if (columns + more > width) {
      const space = current.lastIndexOf(' ')
      const at = space > 0 && segment !== ' ' ? space + 1 : current.length
      lines.push(current.slice(0, at).trimEnd())
      current = current.slice(at)
      columns = textWidth(current)
      if (segment === ' ' && current === '') continue
    }
    current += segment
    columns += more
  }
  return [...lines, current]
}

/** At most `width` columns; a cut text ends in an ellipsis. Plain text only. */
export function fitText(text: string, width: number): string {
  if (textWidth(text) <= width) return text
  let columns = 1
  let fitted = ''
  for (const { segment } of segments.segment(text)) {
    columns += columnsOf(segment)
    if (columns > width) break
    fitted += segment
  }
  return width < 1 ? '' : `${fitted}…`
}

/** Followed by spaces up to `width` columns. */
export const padText = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - textWidth(text)))

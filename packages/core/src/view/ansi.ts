/**
 * Terminal output as spans of plain text with colours and weights. Colours and text attributes
 * are understood, every other control sequence is dropped; a carriage return starts its line
 * again, as progress bars expect. No HTML comes out of here. Linear in the text.
 */
export interface AnsiSpan {
  readonly text: string
  /** `black`…`white`, `bright-black`…`bright-white`, or `#rrggbb`. */
  readonly fg?: string
  readonly bg?: string
  readonly bold?: true
  readonly dim?: true
  readonly italic?: true
  readonly underline?: true
  readonly inverse?: true
  readonly strike?: true
}

type Style = Omit<AnsiSpan, 'text'>

const PLAIN: Style = {}
const ESC = String.fromCharCode(0x1b)
const BEL = String.fromCharCode(7)
const CONTROL = new RegExp(
  [
    `${ESC}\\[([0-?]*)([ -/]*)([@-~])`,
    `${ESC}[\\]PX^_][^${BEL}${ESC}]*(?:${BEL}|${ESC}\\\\)?`,
    `${ESC}[ -/]*[0-~]?`,
    // Control characters other than tab, line feed and these; a carriage return has its own rule.
    '[\\0-\\x08\\x0b\\x0c\\x0e-\\x1a\\x1c-\\x1f\\x7f]',
    '\r+(\n)?',
  ].join('|'),
  'g',
)

/** Spans in order; neighbours differ in style. A sequence that the text's end cuts off is dropped. */
export function ansiSpans(text: string): readonly AnsiSpan[] {
  // The last line is kept apart: a carriage return resets it without touching the lines above.
  const above: AnsiSpan[] = []
  let line: AnsiSpan[] = []
  let style = PLAIN
  let from = 0
  const add = (piece: string): void => {
    const end = piece.lastIndexOf('\n') + 1
    if (end > 0) {
      for (const span of line) push(above, span)
      push(above, { ...style, text: piece.slice(0, end) })
      line = []
    }
    push(line, { ...style, text: piece.slice(end) })
  }
  for (const match of text.matchAll(CONTROL)) {
    add(text.slice(from, match.index))
    from = match.index + match[0].length
    if (match[3] === 'm' && match[2] === '') style = restyle(style, match[1] ?? '')
    else if (match[4] !== undefined) add('\n')
    else if (match[0].startsWith('\r') && from < text.length) line = []
  }
  add(text.slice(from))
  for (const span of line) push(above, span)
  return above
}

/** The text alone. */
export const stripAnsi = (text: string): string =>
  ansiSpans(text)
    .map(span => span.text)
    .join('')

function push(spans: AnsiSpan[], span: AnsiSpan): void {
  const last = spans.at(-1)
  if (span.text === '') return
  if (last && KEYS.every(key => last[key] === span[key]))
    spans[spans.length - 1] = { ...last, text: last.text + span.text }
  else spans.push(span)
}

const COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white']
const ON: Readonly<Record<number, keyof Style>> = {
  1: 'bold',
  2: 'dim',
  3: 'italic',
  4: 'underline',
  7: 'inverse',
  9: 'strike',
}
const KEYS: readonly (keyof Style)[] = ['fg', 'bg', ...Object.values(ON)]

function restyle(style: Style, params: string): Style {
  const codes = params.split(/[;:]/).map(Number)
  let next: Record<string, unknown> = { ...style }
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i] ?? 0
    if (code === 0) next = {}
    else if (code === 38 || code === 48) {
      const [colour, used] = extended(codes, i + 1)
      if (colour) next[code === 38 ? 'fg' : 'bg'] = colour
      i += used
    } else setOne(next, code)
  }
  return next
}

function setOne(style: Record<string, unknown>, code: number): void {
  const on = ON[code]
  if (on) style[on] = true
  else for (const key of offBy(code)) delete style[key]
  setBasic(style, code)
}

/** Attributes that a code ends: an attribute ends by its own code and 20; its weight by 22, bold or dim. */
function offBy(code: number): readonly (keyof Style)[] {
  if (code === 22) return ['bold', 'dim']
  if (code === 39) return ['fg']
  if (code === 49) return ['bg']
  return code > 22 ? [ON[code - 20] ?? []].flat() : []
}

function setBasic(style: Record<string, unknown>, code: number): void {
  const bright = code >= 90
  const base = bright ? code - 60 : code
  const name = COLOURS[base % 10]
  if (name === undefined || base < 30 || base > 47) return
  style[base >= 40 ? 'bg' : 'fg'] = bright ? `bright-${name}` : name
}

/** A 256-color or RGB color, and the number of its codes. */
function extended(codes: readonly number[], at: number): readonly [string | undefined, number] {
  if (codes[at] === 2) return [hex(codes.slice(at + 1, at + 4)), 4]
  if (codes[at] !== 5) return [undefined, 1]
  const n = codes[at + 1] ?? 0
  if (n < 16) return [(n > 7 ? 'bright-' : '') + (COLOURS[n % 8] ?? 'white'), 2]
  if (n > 231) return [hex(Array(3).fill(8 + (n - 232) * 10)), 2]
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40)
  const cube = n - 16
  return [hex([level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)]), 2]
}

const hex = (rgb: readonly number[]): string =>
  `#${rgb
    .map(part =>
      Math.min(255, part || 0)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`

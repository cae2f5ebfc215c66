/**
 * A look into arguments that are still being written: the top-level strings, numbers, booleans
 * and nulls so far, the last one possibly unfinished. It reads every character once, never goes
 * back, and stops at the first thing that cannot be JSON. For display only: what runs is parsed
 * strictly from the whole text.
 */
import { parseJson } from './parse-json.ts'

export interface PeekField {
  readonly key: string
  readonly value: string | number | boolean | null
  readonly done: boolean
}

type Mode =
  | 'start'
  | 'key'
  | 'in-key'
  | 'colon'
  | 'value'
  | 'in-string'
  | 'in-scalar'
  | 'in-nested'
  | 'in-nested-string'
  | 'comma'
  | 'done'
  | 'broken'

export interface ArgsPeek {
  readonly fields: readonly PeekField[]
  readonly mode: Mode
  readonly key: string
  /** The string or scalar being read. */
  readonly text: string
  /** An escape that the last chunk cut in two, from its backslash on. */
  readonly escape: string
  readonly depth: number
}

export const NO_PEEK: ArgsPeek = { fields: [], mode: 'start', key: '', text: '', escape: '', depth: 0 }

/** More top-level fields than this are not shown. */
const MAX_FIELDS = 64

/** Reads one more piece of the text. Pure; cost depends on the piece alone. Never throws. */
export function peekArgs(peek: ArgsPeek, chunk: string): ArgsPeek {
  const next: MutablePeek = { ...peek }
  let at = 0
  while (at < chunk.length && next.mode !== 'done' && next.mode !== 'broken') at = step(next, chunk, at)
  if (next.mode === 'in-string') setField(next, next.text, false)
  return next
}

/** The value of a field so far; the last one wins when a key repeats, as in JSON.parse. */
export const peekField = (peek: ArgsPeek | undefined, key: string): PeekField['value'] | undefined =>
  peek?.fields.findLast(field => field.key === key)?.value

type MutablePeek = { -readonly [K in keyof ArgsPeek]: ArgsPeek[K] }

const SPACE = /\s/

/** Takes in at least one character, or ends a scalar before it; returns where the next one is. */
function step(peek: MutablePeek, chunk: string, at: number): number {
  const char = chunk.charAt(at)
  switch (peek.mode) {
    case 'in-string':
    case 'in-key':
    case 'in-nested-string':
      if (peek.escape === '') return readString(peek, chunk, at)
      readEscape(peek, char)
      break
    case 'in-nested':
      readNested(peek, char)
      break
    case 'in-scalar':
      // The character that ends it is read again as punctuation.
      if (SPACE.test(char) || char === ',' || char === '}') return endScalar(peek, at)
      peek.text += char
      // No number or word of JSON is this long.
      if (peek.text.length > 400) peek.mode = 'broken'
      break
    default:
      if (!SPACE.test(char)) peek.mode = punctuation(peek, char)
  }
  return at + 1
}

/** Handles a character between strings and values. */
function punctuation(peek: MutablePeek, char: string): Mode {
  const { mode, fields } = peek
  if (mode === 'start' && char === '{') return 'key'
  if (mode === 'key' && char === '"') return begin(peek, 'in-key', '')
  if (char === '}' && (mode === 'comma' || (mode === 'key' && fields.length === 0))) return 'done'
  if (mode === 'comma' && char === ',') return 'key'
  if (mode === 'colon' && char === ':') return 'value'
  return mode === 'value' ? beginValue(peek, char) : 'broken'
}

function beginValue(peek: MutablePeek, char: string): Mode {
  if (char === '"') return begin(peek, 'in-string', '')
  if (char !== '{' && char !== '[') return begin(peek, 'in-scalar', char)
  peek.depth = 1
  return 'in-nested'
}

function begin(peek: MutablePeek, mode: Mode, text: string): Mode {
  peek.text = text
  return mode
}

/** Up to the next quote or backslash, at once. */
function readString(peek: MutablePeek, chunk: string, at: number): number {
  let end = at
  while (end < chunk.length && chunk.charCodeAt(end) !== 0x22 && chunk.charCodeAt(end) !== 0x5c) end += 1
  if (peek.mode !== 'in-nested-string') peek.text += chunk.slice(at, end)
  if (chunk.charAt(end) === '"') endString(peek)
  else peek.escape = chunk.charAt(end)
  return end + 1
}

function endString(peek: MutablePeek): void {
  if (peek.mode === 'in-nested-string') peek.mode = 'in-nested'
  else if (peek.mode === 'in-key') {
    peek.key = peek.text
    peek.mode = 'colon'
  } else setField(peek, peek.text, true)
}

/** One more character of an escape; at most six belong to one. */
function readEscape(peek: MutablePeek, char: string): void {
  const cut = peek.escape + char
  const whole = cut.charAt(1) !== 'u' || cut.length === 6
  peek.escape = whole ? '' : cut
  if (!whole) return
  const text = parseJson(`"${cut}"`) as string | undefined
  if (text === undefined) peek.mode = 'broken'
  else if (peek.mode !== 'in-nested-string') peek.text += text
}

function readNested(peek: MutablePeek, char: string): void {
  if (char === '"') peek.mode = 'in-nested-string'
  else if (char === '{' || char === '[') peek.depth += 1
  else if (char === '}' || char === ']') {
    peek.depth -= 1
    if (peek.depth === 0) peek.mode = 'comma'
  }
}

function endScalar(peek: MutablePeek, at: number): number {
  const value = parseJson(peek.text) as PeekField['value'] | undefined
  if (value === undefined) peek.mode = 'broken'
  else setField(peek, value, true)
  return at
}

/** Adds a field, or continues the unfinished one. */
function setField(peek: MutablePeek, value: PeekField['value'], done: boolean): void {
  const { fields, key } = peek
  const before = fields.at(-1)?.done === false ? fields.slice(0, -1) : fields
  if (before.length < MAX_FIELDS) peek.fields = [...before, { key, value, done }]
  if (done) peek.mode = 'comma'
}

/**
 * JSON that is passed on exactly as written. Parsing loses detail: numbers become doubles, integer-like keys move
 * to the front. A text that would lose detail is kept inside the value and restored when the value is serialized.
 * Pure.
 */

/** As the engine has them; the type library does not know them yet. */
const engine = JSON as unknown as {
  readonly rawJSON: (text: string) => unknown
  readonly isRawJSON: (value: unknown) => boolean
}

/** No writer of JSON escapes a digit, so no other string begins like this. */
const OPEN = '"\\u0030'

const ODD = /"(?:\d|\\u003\d)+"\s*:|\d{16}|\d[.eE]|-0/

/**
 * Parses a text; returns a value that `writeJson` writes back exactly where a plain value could differ. Throws
 * SyntaxError.
 */
export function readExact(text: string): unknown {
  const value: unknown = JSON.parse(text)
  return ODD.test(text) ? engine.rawJSON(`${OPEN}${JSON.stringify(text).slice(1)}`) : value
}

/** True if the value holds a raw text and must be serialized before it can be inspected. */
export const isExact = (value: unknown): boolean => engine.isRawJSON(value)

/** As JSON.stringify, for values that may hold what `readExact` gave, at any depth. */
export function writeJson(value: unknown): string {
  const text = JSON.stringify(value)
  let open = text.indexOf(OPEN)
  if (open === -1) return text
  const pieces: string[] = []
  let end = 0
  for (; open !== -1; open = text.indexOf(OPEN, end)) {
    pieces.push(text.slice(end, open))
    end = endOfString(text, open) + 1
    pieces.push(JSON.parse(`"${text.slice(open + OPEN.length, end)}`) as string)
  }
  return pieces.join('') + text.slice(end)
}

/** One member of an object, or one element of an array, as it was written. */
interface ChildText {
  /** Undefined in an array. */
  readonly key: string | undefined
  readonly text: string
}

/** The children of an object or array in order, none for another value. The text must be valid JSON. */
export function childTexts(text: string): readonly ChildText[] {
  const start = text.search(/\S/)
  if (text[start] !== '{' && text[start] !== '[') return []
  const children: ChildText[] = []
  for (let from = start + 1, to = from; from < text.length; from = to + 1) {
    to = endOfChild(text, from)
    const child = text.slice(from, to).trim()
    if (child !== '') children.push(text[start] === '{' ? toMember(child) : { key: undefined, text: child })
    if (text[to] !== ',') break
  }
  return children
}

/** The place of the comma or bracket after the child that begins at `from`. */
function endOfChild(text: string, from: number): number {
  let depth = 0
  for (let i = from; i < text.length; i++) {
    const c = text[i]
    if (c === '"') i = endOfString(text, i)
    else if (c === '{' || c === '[') depth += 1
    else if (depth === 0 && (c === ',' || c === '}' || c === ']')) return i
    else if (c === '}' || c === ']') depth -= 1
  }
  return text.length
}

function toMember(text: string): ChildText {
  const end = endOfString(text, 0) + 1
  const value = text.slice(text.indexOf(':', end) + 1)
  return { key: JSON.parse(text.slice(0, end)) as string, text: value.trim() }
}

/** The place of the quote that closes the string opened at `start`; the end of the text when none does. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0
    while (text[end - 1 - escapes] === '\\') escapes += 1
    if (escapes % 2 === 0) return end
  }
  return text.length
}

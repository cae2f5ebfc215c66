/**
 * Offsets of the elements of an array in a JSON document, so that one of them can be replaced without rewriting
 * the rest. The text must be valid JSON; no recursion.
 */

/** `end` is exclusive. */
export interface Span {
  readonly start: number
  readonly end: number
}

export interface ArrayPlace {
  /** Brackets included. */
  readonly whole: Span
  readonly elements: readonly Span[]
}

/** The array that a field of the outermost object holds; undefined when it holds none. Of equal keys the last counts, as it does for parsers. */
export function findArray(text: string, key: string): ArrayPlace | undefined {
  let found: Span | undefined
  let at = skipBlanks(text, skipBlanks(text, 0) + 1)
  while (text[at] === '"') {
    const keyEnd = endOfString(text, at)
    const name: unknown = JSON.parse(text.slice(at, keyEnd))
    const start = skipBlanks(text, skipBlanks(text, keyEnd) + 1)
    const end = endOfValue(text, start)
    if (name === key) found = { start, end }
    at = skipBlanks(text, skipComma(text, end))
  }
  return found && text[found.start] === '[' ? { whole: found, elements: elementsOf(text, found) } : undefined
}

function elementsOf(text: string, { start, end }: Span): readonly Span[] {
  const elements: Span[] = []
  for (let at = skipBlanks(text, start + 1); at < end - 1; ) {
    const element = { start: at, end: endOfValue(text, at) }
    elements.push(element)
    at = skipBlanks(text, skipComma(text, element.end))
  }
  return elements
}

function skipBlanks(text: string, from: number): number {
  let at = from
  while (/\s/.test(text[at] ?? '')) at++
  return at
}

function skipComma(text: string, from: number): number {
  const at = skipBlanks(text, from)
  return text[at] === ',' ? at + 1 : at
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at + 1
  }
  return text.length
}

function endOfValue(text: string, start: number): number {
  const first = text[start]
  if (first === '"') return endOfString(text, start)
  return first === '{' || first === '[' ? endOfNested(text, start) : endOfWord(text, start)
}

function endOfNested(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const char = text[at]
    if (char === '"') at = endOfString(text, at) - 1
    else if (char === '{' || char === '[') depth++
    else if ((char === '}' || char === ']') && --depth === 0) return at + 1
  }
  return text.length
}

function endOfWord(text: string, start: number): number {
  let at = start
  while (at < text.length && !/[\s,\]}]/.test(text[at] ?? '')) at++
  return at
}

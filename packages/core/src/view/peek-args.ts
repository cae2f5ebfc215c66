/**
 * A look into arguments that are still being written: the top-level strings, numbers, booleans
 * and nulls so far, the last one possibly unfinished. It reads every character once, never goes
 * back, and stops at the first thing that cannot be JSON. For display only: what runs is parsed
 * strictly from the whole text.
 */
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
  if (peek.mode === 'done' || peek.mode === 'broken' || chunk === '') return peek
  return new Scanner(peek).read(chunk)
}

/** The value of a field so far; the last one wins when a key repeats, as in JSON.parse. */
export const peekField = (peek: ArgsPeek | undefined, key: string): PeekField['value'] | undefined =>
  peek?.fields.findLast(field => field.key === key)?.value

const SPACE = /\s/
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

class Scanner {
  #fields: readonly PeekField[]
  #mode: Mode
  #key: string
  #text: string
  #escape: string
  #depth: number

  constructor(peek: ArgsPeek) {
    this.#fields = peek.fields
    this.#mode = peek.mode
    this.#key = peek.key
    this.#text = peek.text
    this.#escape = peek.escape
    this.#depth = peek.depth
  }

  read(chunk: string): ArgsPeek {
    let at = 0
    while (at < chunk.length && this.#mode !== 'broken' && this.#mode !== 'done') at = this.#step(chunk, at)
    const partial = this.#mode === 'in-string' ? this.#withField(this.#text, false) : this.#fields
    return {
      fields: partial,
      mode: this.#mode,
      key: this.#key,
      text: this.#text,
      escape: this.#escape,
      depth: this.#depth,
    }
  }

  /** Takes in at least one character; returns where the next one is. */
  #step(chunk: string, at: number): number {
    switch (this.#mode) {
      case 'in-string':
      case 'in-key':
      case 'in-nested-string':
        return this.#readString(chunk, at)
      case 'in-nested':
        return this.#readNested(chunk, at)
      case 'in-scalar':
        return this.#readScalar(chunk, at)
      default:
        this.#punctuation(chunk.charAt(at))
        return at + 1
    }
  }

  #punctuation(char: string): void {
    if (SPACE.test(char)) return
    const mode = this.#mode
    if (mode === 'start' && char === '{') this.#mode = 'key'
    else if (mode === 'key' && char === '"') this.#open('in-key')
    else if ((mode === 'key' && this.#fields.length === 0) || mode === 'comma') this.#afterValue(char)
    else if (mode === 'colon' && char === ':') this.#mode = 'value'
    else if (mode === 'value') this.#beginValue(char)
    else this.#mode = 'broken'
  }

  #afterValue(char: string): void {
    if (char === '}') this.#mode = 'done'
    else this.#mode = char === ',' && this.#mode === 'comma' ? 'key' : 'broken'
  }

  #beginValue(char: string): void {
    if (char === '"') this.#open('in-string')
    else if (char === '{' || char === '[') {
      this.#mode = 'in-nested'
      this.#depth = 1
    } else {
      this.#mode = 'in-scalar'
      this.#text = char
    }
  }

  #open(mode: Mode): void {
    this.#mode = mode
    this.#text = ''
  }

  #readString(chunk: string, at: number): number {
    if (this.#escape !== '') return this.#readEscape(chunk, at)
    let end = at
    for (; end < chunk.length; end++) {
      const code = chunk.charCodeAt(end)
      if (code === 0x22 || code === 0x5c) break
    }
    if (this.#mode !== 'in-nested-string') this.#text += chunk.slice(at, end)
    if (end === chunk.length) return end
    if (chunk.charCodeAt(end) === 0x5c) this.#escape = '\\'
    else this.#closeString()
    return end + 1
  }

  /** One more character of an escape; at most six belong to one. */
  #readEscape(chunk: string, at: number): number {
    this.#escape += chunk.charAt(at)
    const cut = this.#escape
    const unicode = cut.charAt(1) === 'u'
    if (unicode && cut.length < 6) return at + 1
    const char = unicode ? decodeUnicode(cut) : ESCAPES[cut.charAt(1)]
    this.#escape = ''
    if (char === undefined) this.#mode = 'broken'
    else if (this.#mode !== 'in-nested-string') this.#text += char
    return at + 1
  }

  #closeString(): void {
    if (this.#mode === 'in-key') {
      this.#key = this.#text
      this.#mode = 'colon'
    } else if (this.#mode === 'in-nested-string') this.#mode = 'in-nested'
    else {
      this.#fields = this.#withField(this.#text, true)
      this.#mode = 'comma'
    }
  }

  #readNested(chunk: string, at: number): number {
    const char = chunk.charAt(at)
    if (char === '"') this.#mode = 'in-nested-string'
    else if (char === '{' || char === '[') this.#depth += 1
    else if (char === '}' || char === ']') {
      this.#depth -= 1
      if (this.#depth === 0) this.#mode = 'comma'
    }
    return at + 1
  }

  #readScalar(chunk: string, at: number): number {
    const char = chunk.charAt(at)
    if (char !== ',' && char !== '}' && !SPACE.test(char)) {
      this.#text += char
      // No number or word of JSON is this long.
      if (this.#text.length > 400) this.#mode = 'broken'
      return at + 1
    }
    const value = toScalar(this.#text)
    if (value === undefined) this.#mode = 'broken'
    else {
      this.#fields = this.#withField(value, true)
      this.#mode = 'comma'
    }
    // The character that ended it is read again as punctuation.
    return at
  }

  #withField(value: PeekField['value'], done: boolean): readonly PeekField[] {
    const last = this.#fields.at(-1)
    const field = { key: this.#key, value, done }
    if (last && !last.done) return [...this.#fields.slice(0, -1), field]
    return this.#fields.length < MAX_FIELDS ? [...this.#fields, field] : this.#fields
  }
}

const decodeUnicode = (sequence: string): string | undefined =>
  /^[0-9a-fA-F]{4}$/.test(sequence.slice(2))
    ? String.fromCharCode(Number.parseInt(sequence.slice(2), 16))
    : undefined

function toScalar(text: string): PeekField['value'] | undefined {
  if (text === 'true') return true
  if (text === 'false') return false
  if (text === 'null') return null
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined
}

/**
 * Writes Markdown piece by piece: folds white space, keeps blocks apart, begins lines with the marks of the lists and
 * quotes around them, and puts emphasis next to words. What it costs depends on what is written and on a bounded depth.
 */

/** Deeper lists and quotes are not moved in any further. */
const MAX_INDENT = 6

interface Indent {
  /** The start of the next line; the same as the others if absent. */
  first?: string | undefined
  readonly others: string
}

interface Mark {
  readonly opening: string
  /** True if it is in the text. Otherwise it waits for a word. */
  written: boolean
}

export class MarkdownWriter {
  readonly #out: string[] = []
  readonly #indents: Indent[] = []
  readonly #marks: Mark[] = []
  /** Line breaks that come before the next word. */
  #breaks = 0
  #space = false
  /** Everything stays on one line: blocks are kept apart by blanks. */
  readonly isFlat: boolean

  constructor({ isFlat = false } = {}) {
    this.isFlat = isFlat
  }

  get isIndented(): boolean {
    return this.#indents.length > 0
  }

  /** Words as HTML has them: any white space is one blank. */
  words(text: string): void {
    for (const [at, word] of text.split(/[ \t\r\n\f]+/).entries()) {
      if (at > 0) this.#space = true
      if (word !== '') this.#put(word)
    }
  }

  /** One verbatim piece on the current line. */
  piece(text: string): void {
    this.#put(text)
  }

  /** Verbatim lines as a separate block. */
  lines(text: string): void {
    if (this.isFlat) {
      this.words(text)
      return
    }
    this.breakLine(2)
    for (const [at, line] of text.split('\n').entries()) {
      if (at > 0) this.#breaks = 1
      this.#beginLine()
      this.#out.push(line)
    }
    this.breakLine(2)
  }

  /** The next word begins a line, behind a blank one when `lines` is 2. Breaks do not add up. */
  breakLine(lines: 1 | 2): void {
    this.#space = false
    if (this.isFlat) {
      this.#space = this.#out.length > 0
      return
    }
    // Emphasis ends with its block, and begins again with the next word.
    for (const mark of this.#marks.toReversed()) {
      if (mark.written) this.#out.push(mark.opening)
      mark.written = false
    }
    if (this.#out.length > 0) this.#breaks = Math.max(this.#breaks, lines)
  }

  /** Puts `mark` around the output of `write`, next to its words; nowhere without words, and only once. */
  emphasised(mark: string, write: () => void): void {
    if (this.#marks.some(({ opening }) => opening === mark)) {
      write()
      return
    }
    const pending: Mark = { opening: mark, written: false }
    this.#marks.push(pending)
    write()
    this.#marks.pop()
    if (pending.written) this.#out.push(mark)
  }

  /** Moves in what `write` writes: its first line begins with `first`, all others with `others`. */
  indented(first: string, others: string, write: () => void): void {
    const isMoved = !this.isFlat && this.#indents.length < MAX_INDENT
    if (isMoved) this.#indents.push({ first, others })
    write()
    if (isMoved) this.#indents.pop()
  }

  /** The output so far. */
  toString(): string {
    return this.#out.join('')
  }

  #put(text: string): void {
    this.#beginLine()
    if (this.#space) this.#out.push(' ')
    this.#space = false
    for (const mark of this.#marks)
      if (!mark.written) {
        this.#out.push(mark.opening)
        mark.written = true
      }
    this.#out.push(text)
  }

  #beginLine(): void {
    if (this.#breaks === 0 && this.#out.length > 0) return
    const before = this.#indents.filter(({ first }) => first === undefined).map(({ others }) => others)
    if (this.#breaks === 2) this.#out.push(`\n${before.join('').trimEnd()}`)
    if (this.#breaks > 0) this.#out.push('\n')
    this.#breaks = 0
    this.#space = false
    for (const indent of this.#indents) {
      this.#out.push(indent.first ?? indent.others)
      indent.first = undefined
    }
  }
}

/**
 * Splits streaming Markdown into blocks that can be rendered one by one: a complete block never changes, so only
 * the open end is parsed again. It finds borders; the renderer handles the inside. Linear: every character is
 * visited a bounded number of times, for any piece size.
 */
export type MarkdownKind =
  | 'paragraph'
  | 'heading'
  | 'code'
  | 'math'
  | 'list'
  | 'quote'
  | 'table'
  | 'rule'
  | 'html'
  | 'indented'

export interface MarkdownBlock {
  /** Position of the block; stable while text is appended. */
  readonly key: number
  readonly kind: MarkdownKind
  /** The source of the block, without the blank lines after it. */
  readonly raw: string
  /** More text may still change it. */
  readonly open: boolean
  /** First word after the opening fence of a code block. */
  readonly lang?: string
}

interface Open {
  readonly kind: MarkdownKind
  /** Complete lines, the trailing blank ones kept apart. */
  raw: string
  blanks: string
  readonly fence?: string
  readonly lang?: string
  /** The closing fence was seen. */
  closed?: boolean
}

const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,}|\$\$)[ \t]*([^\s`]*)/
const HEADING = /^ {0,3}#{1,6}(?:[ \t]|$)/
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/
const ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/
const QUOTE = /^ {0,3}>/
const TABLE = /^ {0,3}\|/
const HTML = /^ {0,3}<(?:[A-Za-z/!?])/
const INDENTED = /^(?: {4}|\t)/
/** Length of a line's start that identifies its kind. */
const HEAD = 256
/** Most characters of a block, and of a line. What is longer is cut there: an open block is drawn again each time. */
const LONG = 100_000

/** Feed it text as it comes; ask for `blocks` whenever the screen is drawn. */
export class MarkdownBlocks {
  readonly #done: MarkdownBlock[] = []
  #open: Open | undefined
  #line = ''
  #length = 0
  #lastPiece = ''

  /** Appends text. */
  push(piece: string): void {
    if (piece === '') return
    this.#length += piece.length
    this.#lastPiece = piece.slice(-32)
    let from = 0
    for (let at = piece.indexOf('\n'); at >= 0; at = piece.indexOf('\n', from)) {
      this.#takeLine(this.#cut(this.#line + piece.slice(from, at + 1)))
      this.#line = ''
      from = at + 1
    }
    this.#line = this.#cut(this.#line + piece.slice(from))
  }

  /** Takes what is too long for one line; returns the rest. */
  #cut(line: string): string {
    let from = 0
    for (; line.length - from > LONG; from += LONG) this.#takeLine(line.slice(from, from + LONG))
    return line.slice(from)
  }

  /**
   * Makes the blocks those of `text`. When it continues what was read before, only its new end is
   * read; otherwise everything is.
   */
  update(text: string): readonly MarkdownBlock[] {
    const known = this.#length
    const continues = text.length >= known && text.startsWith(this.#lastPiece, known - this.#lastPiece.length)
    if (!continues) this.#reset()
    this.push(continues ? text.slice(known) : text)
    return this.blocks()
  }

  /** Complete blocks are the same objects every time; at most two at the end are open. */
  blocks(): readonly MarkdownBlock[] {
    const { blanks = '', raw = '' } = this.#open ?? {}
    const line = this.#line
    const last =
      this.#open && line !== '' && continuesBlock(this.#open, line)
        ? [{ ...this.#open, raw: raw + blanks + line }]
        : [this.#open ?? [], begin(line) ?? []].flat()
    return [...this.#done, ...last.map((open, n) => finish(open, this.#done.length + n, true))]
  }

  #takeLine(line: string): void {
    if (this.#open && continuesBlock(this.#open, line)) {
      this.#extend(this.#open, line)
      return
    }
    this.#close()
    this.#open = begin(line)
    if (this.#open && endsAtOnce(this.#open.kind)) this.#close()
  }

  #extend(open: Open, line: string): void {
    if (open.fence === undefined && line.trim() === '') {
      open.blanks += line
      if (!spansBlanks(open.kind)) this.#close()
      return
    }
    open.raw += open.blanks + line
    open.blanks = ''
    if (open.fence !== undefined && closesFence(open.fence, line)) this.#close()
  }

  #close(): void {
    if (this.#open) this.#done.push(finish(this.#open, this.#done.length, false))
    this.#open = undefined
  }

  #reset(): void {
    this.#done.length = 0
    this.#open = undefined
    this.#line = ''
    this.#length = 0
    this.#lastPiece = ''
  }
}

const finish = ({ kind, raw, lang }: Open, key: number, open: boolean): MarkdownBlock => ({
  key,
  kind,
  raw,
  open,
  ...(lang ? { lang } : {}),
})

/** The block that a line begins; undefined for a blank line. */
function begin(line: string): Open | undefined {
  const head = line.slice(0, HEAD).trimEnd()
  if (head === '') return line.trim() === '' ? undefined : { kind: 'indented', raw: line, blanks: '' }
  const fence = FENCE.exec(head)
  if (fence) {
    const mark = fence[1] ?? ''
    const math = mark === '$$'
    // `$$x$$` on one line is whole.
    if (!(math && head.trim().length > 2 && head.endsWith('$$')))
      return {
        kind: math ? 'math' : 'code',
        raw: line,
        blanks: '',
        fence: mark,
        ...(fence[2] && !math ? { lang: fence[2] } : {}),
      }
  }
  return { kind: kindOf(head), raw: line, blanks: '' }
}

function kindOf(head: string): MarkdownKind {
  if (HEADING.test(head)) return 'heading'
  if (RULE.test(head)) return 'rule'
  if (ITEM.test(head)) return 'list'
  if (QUOTE.test(head)) return 'quote'
  if (TABLE.test(head)) return 'table'
  if (HTML.test(head)) return 'html'
  return INDENTED.test(head) ? 'indented' : 'paragraph'
}

const endsAtOnce = (kind: MarkdownKind): boolean => kind === 'heading' || kind === 'rule'
/** Blocks that a blank line does not end by itself. */
const spansBlanks = (kind: MarkdownKind): boolean => kind === 'list' || kind === 'indented'

function closesFence(fence: string, line: string): boolean {
  const head = line.slice(0, HEAD).trim()
  if (fence === '$$') return head.endsWith('$$')
  return head.length >= fence.length && head === fence.charAt(0).repeat(head.length)
}

/** True if a line belongs to the open block. */
function continuesBlock(open: Open, line: string): boolean {
  if (open.fence !== undefined) return true
  if (open.raw.length + open.blanks.length + line.length > LONG) return false
  const head = line.slice(0, HEAD).trimEnd()
  if (head === '') return true
  const indented = /^\s/.test(head)
  switch (open.kind) {
    case 'list':
      if (ITEM.test(head) && !RULE.test(head)) return true
      // Lazy continuation: only directly below, and only of plain text.
      return INDENTED.test(head) || /^ {2,}/.test(head) || (open.blanks === '' && !interrupts(head))
    case 'indented':
      return INDENTED.test(head)
    case 'quote':
      return QUOTE.test(head) || !interrupts(head)
    case 'table':
      return !interrupts(head)
    case 'html':
      return true
    case 'paragraph':
      // `---` or `===` below a paragraph makes it a heading, so it stays with it.
      return indented || /^(?:-+|=+)$/.test(head) || !interrupts(head)
    case 'heading':
    case 'rule':
    case 'code':
    case 'math':
      return false
  }
}

/** A line that begins something else even directly below a paragraph. */
function interrupts(head: string): boolean {
  if (FENCE.test(head) || HEADING.test(head) || RULE.test(head) || QUOTE.test(head)) return true
  // An ordered list interrupts only when it begins with 1; a bullet must have text.
  return /^ {0,3}(?:[-*+]|1[.)])[ \t]+\S/.test(head)
}

/**
 * Checks if a text that arrives in pieces is a complete JSON object. Visits each character once, for any pieces,
 * and stores no text. Only braces and strings matter: a closed object cannot grow, valid or not; the parser
 * decides that.
 */
export interface ObjectScan {
  readonly depth: number
  readonly isInString: boolean
  readonly isEscaped: boolean
  /** Before the object, inside it, after it; or the text is no object. */
  readonly place: 'before' | 'inside' | 'behind' | 'elsewhere'
}

export const NOT_BEGUN: ObjectScan = { depth: 0, isInString: false, isEscaped: false, place: 'before' }

const QUOTE = 0x22
const BACKSLASH = 0x5c
const BRACE = 0x7b
const OPENING: ReadonlySet<number> = new Set([BRACE, 0x5b])
const CLOSING: ReadonlySet<number> = new Set([0x7d, 0x5d])
const SPACES: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])

/** Reads one more piece. Pure; cost depends on the piece alone. */
export function scanObject(scan: ObjectScan, piece: string): ObjectScan {
  if (piece === '' || scan.place === 'elsewhere') return scan
  const next = { ...scan }
  for (let at = 0; at < piece.length && next.place !== 'elsewhere'; at++) step(next, piece.charCodeAt(at))
  return next
}

type MutableScan = { -readonly [K in keyof ObjectScan]: ObjectScan[K] }

function step(scan: MutableScan, code: number): void {
  if (scan.isInString) inString(scan, code)
  else if (scan.place !== 'inside') outside(scan, code)
  else if (code === QUOTE) scan.isInString = true
  else if (OPENING.has(code)) scan.depth += 1
  else if (CLOSING.has(code)) {
    scan.depth -= 1
    if (scan.depth === 0) scan.place = 'behind'
  }
}

function inString(scan: MutableScan, code: number): void {
  if (scan.isEscaped) scan.isEscaped = false
  else if (code === BACKSLASH) scan.isEscaped = true
  else if (code === QUOTE) scan.isInString = false
}

function outside(scan: MutableScan, code: number): void {
  if (SPACES.has(code)) return
  const begins = scan.place === 'before' && code === BRACE
  scan.place = begins ? 'inside' : 'elsewhere'
  scan.depth = begins ? 1 : 0
}

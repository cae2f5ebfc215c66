/** Text that arrives in pieces: block deltas by offset, tool output as an endless tail. */
import type { LiveOutput } from './view.ts'

export interface TextUpdate {
  readonly text: string
  /** The piece that was new; '' when everything was known. */
  readonly added: string
  /** The piece begins beyond the end: something before it is missing, so it was left out. */
  readonly gap: boolean
}

/**
 * Inserts a piece at its offset. A repeated piece adds nothing, an overlapping one its new part. Concatenation
 * only: V8 keeps the parts until the text is read, so long texts cost no more per piece.
 */
export function appendAt(text: string, offset: number, piece: string): TextUpdate {
  const known = text.length - offset
  if (known < 0) return { text, added: '', gap: piece !== '' }
  const added = known === 0 ? piece : piece.slice(known)
  return { text: added === '' ? text : text + added, added, gap: false }
}

/** Size of the output tail of a running call; up to twice as much is held between two truncations. */
export const TAIL_CHARS = 65_536
/** Most that is kept of a running call's output, with what is at hand. */
export const OUTPUT_CHARS = 1_048_576

/**
 * Adds output to the tail; what leaves it stays in `older` until the whole is too much. Who draws reads the tail
 * alone. Amortised, the cost depends on the piece alone.
 */
export function appendTail(output: LiveOutput, piece: string): LiveOutput {
  let { tail, older, cut } = output
  tail += piece
  if (tail.length > 2 * TAIL_CHARS) {
    const at = startOfLine(tail, tail.length - TAIL_CHARS)
    older += tail.slice(0, at)
    tail = tail.slice(at)
    const over = older.length + 2 * TAIL_CHARS - OUTPUT_CHARS
    if (over > 0) older = older.slice(startOfLine(older, over))
    cut ||= over > 0
  }
  return { tail, older, chars: output.chars + piece.length, lines: output.lines + countBreaks(piece), cut }
}

/** The next line's start within 1,000 characters, so that a cut neither halves a line nor a character. */
function startOfLine(text: string, from: number): number {
  const at = text.indexOf('\n', from)
  if (at >= 0 && at - from < 1000) return at + 1
  const code = text.charCodeAt(from)
  return code >= 0xdc00 && code <= 0xdfff ? from + 1 : from
}

function countBreaks(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1
  return count
}

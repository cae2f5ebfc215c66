/** The text inside of `{"input": "…"}` while the arguments are being written. Pure; linear in their length. */

export interface FreeformReader {
  readonly mode: 'before' | 'inside' | 'closed'
  /** Characters that cannot be read before more of them have come. */
  readonly rest: string
  /** Length of the text so far. */
  readonly length: number
}

export const initialFreeform: FreeformReader = { mode: 'before', rest: '', length: 0 }

const OPENING = /^\s*\{\s*"input"\s*:\s*"/
/** Longer openings are read when the arguments are complete. */
const MAX_OPENING = 64
const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

/** The second value is what the text grows by. */
export function stepFreeform(reader: FreeformReader, delta: string): readonly [FreeformReader, string] {
  if (reader.mode === 'closed') return [reader, '']
  const pending = reader.rest + delta
  if (reader.mode === 'inside') return readText(reader, pending)
  const opening = OPENING.exec(pending)
  if (opening) return readText({ ...reader, mode: 'inside' }, pending.slice(opening[0].length))
  return [{ ...reader, mode: pending.length > MAX_OPENING ? 'closed' : 'before', rest: pending }, '']
}

function readText(reader: FreeformReader, pending: string): readonly [FreeformReader, string] {
  const pieces: string[] = []
  let from = 0
  let isClosed = false
  while (from < pending.length) {
    const special = findSpecial(pending, from)
    pieces.push(pending.slice(from, special))
    from = special
    if (from === pending.length) break
    if (pending[from] === '"') {
      isClosed = true
      break
    }
    const escaped = readEscape(pending, from)
    if (!escaped) break
    pieces.push(escaped.text)
    from += escaped.size
  }
  const text = pieces.join('')
  const rest = isClosed ? '' : pending.slice(from)
  return [{ mode: isClosed ? 'closed' : 'inside', rest, length: reader.length + text.length }, text]
}

function findSpecial(text: string, from: number): number {
  for (let at = from; at < text.length; at++) if (text[at] === '"' || text[at] === '\\') return at
  return text.length
}

/** Undefined while it is incomplete. */
function readEscape(text: string, at: number): { readonly text: string; readonly size: number } | undefined {
  const kind = text[at + 1]
  if (kind === undefined) return undefined
  if (kind !== 'u') return { text: ESCAPES[kind] ?? kind, size: 2 }
  const code = text.slice(at + 2, at + 6)
  return code.length < 4 ? undefined : { text: String.fromCharCode(Number.parseInt(code, 16)), size: 6 }
}

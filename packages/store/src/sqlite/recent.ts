/**
 * The form in which owners' previews are first stored: one row per flush for all sessions together,
 * because an index entry per session and flush would cost more than the rest (preview-file.ts).
 *
 * A row is a line of numbers, five per entry, and one line of JSON events per entry.
 */
export interface RecentEntry {
  readonly session: number
  readonly seq: number
  readonly n: number
  readonly epoch: number
  readonly w: number
  /** The events as one JSON array. */
  readonly json: string
}

const NUMBERS = 5

/** JSON.stringify leaves no line feed inside, so a line feed separates entries. */
export function encodeRecent(entries: readonly RecentEntry[]): string {
  let numbers = ''
  let lines = ''
  for (const { session, seq, n, epoch, w, json } of entries) {
    numbers += `${numbers === '' ? '' : ','}${session},${seq},${n},${epoch},${w}`
    lines += `\n${json}`
  }
  return numbers + lines
}

/** The entries of a row in order. */
export function decodeRecent(row: string): readonly RecentEntry[] {
  const lines = row.split('\n')
  const numbers = (lines[0] ?? '').split(',').map(Number)
  const entries: RecentEntry[] = []
  for (let i = 1; i < lines.length; i++) {
    const at = (i - 1) * NUMBERS
    const own = numbers[at] ?? 0
    const [seq = 0, n = 0, epoch = 0, w = 0] = numbers.slice(at + 1, at + NUMBERS)
    entries.push({ session: own, seq, n, epoch, w, json: lines[i] ?? '[]' })
  }
  return entries
}

/** Places that look most like a text that was not found, with what differs. */
import { diffChars } from 'diff'

const MAX_LINES = 40
const MAX_CHARS = 500_000
/** Of a line; the rest of a longer one is not compared. */
const MAX_LINE = 500
const ENOUGH = 0.45
/** Places that are compared line by line. */
const MAX_CANDIDATES = 50
/** Characters added and removed up to which a line is shown with what differs inside of it. */
const MAX_EDITS = 100

/** At most two, best first, as text for the model; empty when nothing is similar or the file is too large to search. */
export function nearMisses(view: string, wanted: string): string {
  const target = wanted.replace(/\n$/, '').split('\n')
  if (view.length > MAX_CHARS || target.length > MAX_LINES) return ''
  const lines = view.split('\n')
  const scored = bestPlaces(lines, target)
  if (scored.length === 0) return ''
  const shown = scored.map(({ at }) => show(lines, target, at))
  return `\nThe most similar ${shown.length === 1 ? 'place' : 'places'} ([-yours-] {+the file's+}):\n${shown.join('\n')}`
}

interface Candidate {
  readonly at: number
  readonly score: number
}

function bestPlaces(lines: readonly string[], target: readonly string[]): readonly Candidate[] {
  const sorted = candidates(lines, target.map(bigrams))
    .filter(one => one.score >= ENOUGH)
    .sort((a, b) => b.score - a.score || a.at - b.at)
  const [best] = sorted
  if (!best) return []
  const second = sorted.find(one => Math.abs(one.at - best.at) >= target.length)
  return second && second.score > best.score * 0.9 ? [best, second] : [best]
}

/** Every line of the file is compared with the longest of the target alone; the places around the most similar ones in full. */
function candidates(lines: readonly string[], target: readonly Bigrams[]): readonly Candidate[] {
  const offset = target.reduce((most, one, i) => (one.total > (target[most]?.total ?? 0) ? i : most), 0)
  const anchor = target[offset]
  if (!anchor) return []
  const found: Candidate[] = []
  for (let at = 0; at + target.length <= lines.length; at++) {
    const score = similarityTo(anchor, lines[at + offset] ?? '')
    if (score > 0) found.push({ at, score })
  }
  return found
    .sort((a, b) => b.score - a.score || a.at - b.at)
    .slice(0, MAX_CANDIDATES)
    .map(({ at }) => ({ at, score: averageAt(at, lines, target) }))
}

function averageAt(at: number, lines: readonly string[], target: readonly Bigrams[]): number {
  const sum = target.reduce((total, one, i) => total + similarityTo(one, lines[at + i] ?? ''), 0)
  return sum / target.length
}

interface Bigrams {
  readonly counts: ReadonlyMap<string, number>
  readonly total: number
}

function bigrams(line: string): Bigrams {
  const text = line.trim().slice(0, MAX_LINE)
  const counts = new Map<string, number>()
  if (text.length < 2) return { counts: counts.set(text, 1), total: 1 }
  for (let i = 0; i + 1 < text.length; i++) {
    const pair = text.slice(i, i + 2)
    counts.set(pair, (counts.get(pair) ?? 0) + 1)
  }
  return { counts, total: text.length - 1 }
}

/** Dice's coefficient; 0 where the lengths alone say that it is too small. */
function similarityTo(wanted: Bigrams, line: string): number {
  const length = Math.max(1, Math.min(line.trim().length, MAX_LINE) - 1)
  if ((2 * Math.min(length, wanted.total)) / (length + wanted.total) < ENOUGH / 2) return 0
  const { counts, total } = bigrams(line)
  let shared = 0
  for (const [pair, count] of counts) shared += Math.min(count, wanted.counts.get(pair) ?? 0)
  return (2 * shared) / (total + wanted.total)
}

function show(lines: readonly string[], target: readonly string[], at: number): string {
  return target
    .map((wanted, i) => {
      const line = lines[at + i] ?? ''
      return `${String(at + i + 1).padStart(6)}\t${wanted === line ? line : difference(wanted, line)}`
    })
    .join('\n')
}

function difference(wanted: string, line: string): string {
  const [yours, theirs] = [wanted.slice(0, MAX_LINE), line.slice(0, MAX_LINE)]
  const parts = diffChars(yours, theirs, { maxEditLength: MAX_EDITS })
  if (!parts) return `[-${yours}-]{+${theirs}+}`
  return parts
    .map(part => (part.added ? `{+${part.value}+}` : part.removed ? `[-${part.value}-]` : part.value))
    .join('')
}

/** Places that look most like a text that was not found, with what differs. */
import { diffChars } from 'diff'

const MAX_LINES = 40
const MAX_CHARS = 500_000
const ENOUGH = 0.45

/** At most two, best first, as text for the model; empty when nothing is similar or the file is too large to search. */
export function nearMisses(view: string, wanted: string): string {
  const target = wanted.replace(/\n$/, '').split('\n')
  if (view.length > MAX_CHARS || target.length > MAX_LINES) return ''
  const lines = view.split('\n')
  const scored = candidates(lines, target)
  if (scored.length === 0) return ''
  const shown = scored.map(({ at }) => show(lines, target, at))
  return `\nThe most similar ${shown.length === 1 ? 'place' : 'places'} ([-yours-] {+the file's+}):\n${shown.join('\n')}`
}

function candidates(
  lines: readonly string[],
  target: readonly string[],
): readonly { readonly at: number; readonly score: number }[] {
  const wanted = target.map(bigrams)
  const known = lines.map(bigrams)
  const scored = []
  for (let at = 0; at + target.length <= lines.length; at++) {
    let sum = 0
    for (const [i, one] of wanted.entries()) sum += similarity(one, known[at + i] ?? new Map())
    scored.push({ at, score: sum / target.length })
  }
  const sorted = scored.filter(one => one.score >= ENOUGH).sort((a, b) => b.score - a.score)
  const [best] = sorted
  if (!best) return []
  const second = sorted.find(one => Math.abs(one.at - best.at) >= target.length)
  return second && second.score > best.score * 0.9 ? [best, second] : [best]
}

function bigrams(line: string): ReadonlyMap<string, number> {
  const text = line.trim()
  const out = new Map<string, number>()
  if (text.length < 2) return out.set(text, 1)
  for (let i = 0; i + 1 < text.length; i++) {
    const pair = text.slice(i, i + 2)
    out.set(pair, (out.get(pair) ?? 0) + 1)
  }
  return out
}

/** Dice's coefficient. */
function similarity(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let shared = 0
  let total = 0
  for (const [pair, count] of a) {
    shared += Math.min(count, b.get(pair) ?? 0)
    total += count
  }
  for (const count of b.values()) total += count
  return total === 0 ? 1 : (2 * shared) / total
}

function show(lines: readonly string[], target: readonly string[], at: number): string {
  return target
    .map((wanted, i) => {
      const line = lines[at + i] ?? ''
      return `${String(at + i + 1).padStart(6)}\t${wanted === line ? line : difference(wanted, line)}`
    })
    .join('\n')
}

const difference = (wanted: string, line: string): string =>
  diffChars(wanted.slice(0, 500), line.slice(0, 500))
    .map(part => (part.added ? `{+${part.value}+}` : part.removed ? `[-${part.value}-]` : part.value))
    .join('')

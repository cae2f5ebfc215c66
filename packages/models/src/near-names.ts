/** Names that a mistyped one may have meant. */

const MOST = 3

/** At most three, nearest first; none when nothing is near. Pure. */
export function nearNames(given: string, names: readonly string[]): readonly string[] {
  const limit = Math.max(2, Math.floor(given.length / 4))
  return [...new Set(names)]
    .map(name => ({ name, far: distance(given.toLowerCase(), name.toLowerCase()) }))
    .filter(({ far }) => far <= limit)
    .sort((a, b) => a.far - b.far || a.name.localeCompare(b.name))
    .slice(0, MOST)
    .map(({ name }) => name)
}

/** Edits from one text to the other (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, place) => place)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

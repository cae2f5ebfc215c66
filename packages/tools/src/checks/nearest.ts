/** Suggests names for an unknown one. */

/** Up to `max` candidates close enough to `name` to be a slip, nearest first; ties keep their order. */
export function nearest(name: string, candidates: readonly string[], max = 3): readonly string[] {
  const wanted = name.toLowerCase()
  const limit = Math.max(1, Math.floor(wanted.length / 3))
  return candidates
    .map(candidate => ({ candidate, distance: distanceTo(wanted, candidate.toLowerCase(), limit) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, max)
    .map(({ candidate }) => candidate)
}

function distanceTo(wanted: string, candidate: string, limit: number): number {
  if (wanted === candidate) return 0
  if (wanted.length > 2 && (candidate.includes(wanted) || wanted.includes(candidate))) return 1
  if (Math.abs(wanted.length - candidate.length) > limit) return Number.POSITIVE_INFINITY
  return editDistance(wanted, candidate)
}

/** Levenshtein distance; names are short, so the plain quadratic form does. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

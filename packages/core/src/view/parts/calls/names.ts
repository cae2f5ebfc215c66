/** Calls in a few words: `Grep, Read ×2`, in order of first appearance. */
import type { CallView } from '../../view.ts'

export function countNames(calls: readonly CallView[]): string {
  const counts = new Map<string, number>()
  for (const { name } of calls) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].map(([name, n]) => (n > 1 ? `${name} ×${n}` : name)).join(', ')
}

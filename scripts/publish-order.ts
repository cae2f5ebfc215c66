/** The order in which packages are published. Pure. */
import type { PublishedManifest } from './published-manifest.ts'

/** The command and its generator last: what they name is there when a user installs them. */
const LAST = ['toolwire', 'create-toolwire']

/** Each package behind those that it needs; names decide otherwise. Throws when packages need each other. */
export function inOrder<P extends { readonly name: string; readonly manifest: PublishedManifest }>(
  packages: readonly P[],
): readonly P[] {
  const rank = ({ name }: P): string => `${LAST.indexOf(name) + 1} ${name}`
  const waiting = [...packages].sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
  const ordered: P[] = []
  while (waiting.length > 0) {
    const left = new Set(waiting.map(({ name }) => name))
    const next = waiting.findIndex(
      ({ manifest }) => !Object.keys(manifest.dependencies ?? {}).some(needed => left.has(needed)),
    )
    if (next < 0) throw new Error(`these packages need each other: ${[...left].join(', ')}`)
    ordered.push(...waiting.splice(next, 1))
  }
  return ordered
}

/** Entries of the maps that projections keep. Each function returns a copy: states never change. */

/** Calls of different agents may share an id. */
export const callKey = (agentRunId: string | undefined, callId: string): string =>
  `${agentRunId ?? ''}|${callId}`

/** A copy with one entry set. */
export const withEntry = <V>(map: ReadonlyMap<string, V>, key: string, value: V): ReadonlyMap<string, V> =>
  new Map(map).set(key, value)

/** A copy without that entry; the same map if it has no such entry. */
export function withoutEntry<V>(map: ReadonlyMap<string, V>, key: string): ReadonlyMap<string, V> {
  if (!map.has(key)) return map
  const copy = new Map(map)
  copy.delete(key)
  return copy
}

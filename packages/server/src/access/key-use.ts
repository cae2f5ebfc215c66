/** The time at which each key was last used, to the minute: a write per request would cost too much. */
import { RecentMap, type Records } from '@toolwire/core'
import { z } from 'zod'

const KIND = 'key_use'
const EVERY_MS = 60_000
const MAX_KEYS = 10_000

const KeyUse = z.object({ at: z.string() })

/** Returns a function that notes a use. It never throws, and nothing waits for it. */
export function createKeyUse(records: Records | undefined, now: () => Date): (key_id: string) => void {
  const noted = new RecentMap<string, number>(MAX_KEYS)
  return key_id => {
    const at = now()
    const last = noted.get(key_id)
    if (!records || (last !== undefined && Math.abs(at.getTime() - last) < EVERY_MS)) return
    noted.set(key_id, at.getTime())
    records.put(KIND, key_id, { at: at.toISOString() }).catch(() => {})
  }
}

/** By id of a key; keys that were never used are absent. */
export async function readKeyUse(
  records: Records,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = await records.getMany(KIND, ids)
  return new Map(
    found.flatMap(({ id, value }) => {
      const use = KeyUse.safeParse(value)
      return use.success ? [[id, use.data.at]] : []
    }),
  )
}

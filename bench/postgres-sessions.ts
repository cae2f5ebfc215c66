/** Sessions that the benchmark of the stores writes to as their owner, and the event that it writes. */
import type { EventOf, Store } from '@toolwire/core'

export interface Owned {
  readonly id: string
  readonly epoch: number
  w: number
}

/** A delta as models stream them, made at `at`. */
export const sampleDelta = (at: number): EventOf<'block.delta'> => ({
  type: 'block.delta',
  ts: new Date(at).toISOString(),
  run_id: '0b7d4c4e-7d0c-4a0e-9a52-55a2f4d3c001',
  turn: 1,
  block_id: 'msg_0123456789abcdef.0',
  offset: 0,
  text: 'a few words ',
})

/** Creates and claims this many sessions; `w` counts their owner's writes. */
export async function own(store: Store, count: number): Promise<readonly Owned[]> {
  const ids = Array.from({ length: count }, (_, i) => `bench-${i}`)
  await store.append(ids.map(session => ({ session, create: true, events: [], state: 'running' as const })))
  const owned: Owned[] = []
  while (owned.length < count)
    for (const { session, epoch } of await store.claim({ node: 'bench', ttlMs: 600_000, max: 500 }))
      owned.push({ id: session, epoch, w: 0 })
  return owned
}

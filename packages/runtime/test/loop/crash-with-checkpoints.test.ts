/** Kill after every event, with checkpoints in any condition: the same state is found, and the run comes to the same end. */
import { type CheckpointStore, evolve, initial, type Rec, type StateSource, type Store } from '@toolwire/core'
import { createMemoryStore, createStateSource } from '@toolwire/store'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createVerifiedCheckpoints } from '../../../store/src/checkpoints/verified-checkpoints.ts'
import { backgroundScript, fromStart, nestedScript, type Opened, resumesAt, script } from './crash-checks.ts'
import { SESSION } from './stage.ts'

const open = async (): Promise<Opened> => ({ store: createMemoryStore(), done: async () => {} })

function createCheckpoints(): CheckpointStore & { readonly data: Map<string, Uint8Array> } {
  const data = new Map<string, Uint8Array>()
  return {
    data,
    load: async session => data.get(session),
    save: async (session, _, bytes) => void data.set(session, bytes),
    async remove(sessions) {
      for (const session of sessions) data.delete(session)
    },
  }
}

/** A checkpoint of the first `seq` events, as a process would have saved it. */
async function saveAt(store: Store, prefix: readonly Rec[], seq: number): Promise<Uint8Array> {
  const checkpoints = createCheckpoints()
  const log: Pick<Store, 'read' | 'lineage'> = { read: store.read.bind(store) }
  const last = prefix[seq - 1] as Rec
  const state = prefix.slice(0, seq).reduce(evolve, initial())
  await createVerifiedCheckpoints(log, checkpoints, () => {}).save(SESSION, { last, state })
  return checkpoints.data.get(SESSION) as Uint8Array
}

type Spoil = (bytes: Uint8Array, at: number) => { readonly bytes: Uint8Array; readonly isUsable: boolean }

const CONDITIONS: Readonly<Record<string, Spoil>> = {
  present: bytes => ({ bytes, isUsable: true }),
  truncated: (bytes, at) => ({ bytes: bytes.slice(0, at % bytes.length), isUsable: false }),
  'with a flipped bit': (bytes, at) => {
    const spoiled = new Uint8Array(bytes)
    const i = at % spoiled.length
    spoiled[i] = (spoiled[i] ?? 0) ^ (1 << (at % 8))
    return { bytes: spoiled, isUsable: false }
  },
  missing: () => ({ bytes: new Uint8Array(), isUsable: false }),
}

for (const [name, spoil] of Object.entries(CONDITIONS))
  test(`kill after every event with a checkpoint ${name}, restart, same state and same end`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(script, nestedScript, backgroundScript), fc.nat(), async (turns, at) => {
        const full = await fromStart(open, turns)
        for (let cut = 2; cut < full.records.length; cut += 1)
          await resumesAt(open, turns, full, {
            cut,
            statesOf: (store, prefix) => restart(store, prefix, { spoil, at: at + cut }),
          })
      }),
      { numRuns: 2 },
    )
  })

/** What a process finds after a restart; checks that it opens the state of the whole log. */
async function restart(
  store: Store,
  prefix: readonly Rec[],
  { spoil, at }: { readonly spoil: Spoil; readonly at: number },
): Promise<StateSource> {
  const checkpoints = createCheckpoints()
  const seq = 1 + (at % prefix.length)
  const { bytes, isUsable } = spoil(await saveAt(store, prefix, seq), at)
  checkpoints.data.set(SESSION, bytes)
  const dropped: string[] = []
  const states = createStateSource({
    log: store,
    checkpoints,
    shortLog: 0,
    onDropped: one => dropped.push(one),
  })
  const { last, state } = await states.open(SESSION)
  expect(state).toEqual(prefix.reduce(evolve, initial()))
  expect(last?.seq).toBe(prefix.length)
  expect(dropped).toEqual(isUsable ? [] : [SESSION])
  expect(checkpoints.data.has(SESSION)).toBe(isUsable)
  return states
}

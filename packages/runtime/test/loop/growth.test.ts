/** What a turn costs does not grow with the turns before it. Counted, not timed. */
import type { CheckpointStore, Model, Rec, StateSource, Store } from '@toolwire/core'
import { createMemoryStore, createStateSource } from '@toolwire/store'
import { expect, test } from 'vitest'
import { usedCallIds } from '../../src/loop/used-call-ids.ts'
import { scriptedModel } from './scripted-model.ts'
import { message, opening, openStage, SESSION, seed } from './stage.ts'

/** Adds up the records that are read: each has to be unpacked, parsed and folded. */
function counted(store: Store): { readonly store: Store; readonly take: () => number } {
  let records = 0
  const uncounted = store.read.bind(store)
  const read: Store['read'] = async (...args) => {
    const found = await uncounted(...args)
    records += found.length
    return found
  }
  return {
    store: Object.assign(store, { read }),
    take() {
      const taken = records
      records = 0
      return taken
    },
  }
}

function createCheckpoints(): CheckpointStore {
  const data = new Map<string, Uint8Array>()
  return {
    load: async session => data.get(session),
    save: async (session, _, bytes) => void data.set(session, bytes),
    async remove(sessions) {
      for (const session of sessions) data.delete(session)
    },
  }
}

interface Play {
  readonly store: Store
  readonly model: Model
  readonly states: StateSource | undefined
}

/** Plays turns `from` to `to`, each as a separate run. */
async function play({ store, model, states }: Play, from: number, to: number): Promise<void> {
  const { runtime, errors } = openStage(store, model, undefined, { states })
  await runtime.start()
  await runtime.settled()
  for (let turn = from; turn <= to; turn += 1) {
    await store.append([
      { session: SESSION, events: [message(`${turn} ${'x'.repeat(8000)}`, `run-${turn}`)] },
    ])
    runtime.wake(SESSION)
    await runtime.settled()
  }
  await runtime.stop()
  expect(errors).toEqual([])
}

const seeded = async (): Promise<Store> => {
  const store = createMemoryStore()
  await seed(store, opening('go'))
  return store
}

test('a turn reads as many records after 80 turns as after 8', async () => {
  const { store, take } = counted(await seeded())
  const states = createStateSource({ log: store })
  const model = scriptedModel([])
  const costOf = async (from: number, to: number): Promise<number> => {
    await play({ store, model, states }, from, to - 1)
    take()
    await play({ store, model, states }, to, to)
    return take()
  }
  const early = await costOf(2, 8)
  expect(await costOf(9, 80)).toBe(early)
})

test('without kept state the same turn reads everything before it: the count sees it', async () => {
  const { store, take } = counted(await seeded())
  const model = scriptedModel([])
  await play({ store, model, states: undefined }, 2, 19)
  const { length } = await store.read(SESSION, 0, 10_000)
  take()
  await play({ store, model, states: undefined }, 20, 20)
  expect(take()).toBeGreaterThan(length)
})

test('the first turn after a restart reads what follows the checkpoint, however long the session is', async () => {
  const { store, take } = counted(await seeded())
  const checkpoints = createCheckpoints()
  const model = scriptedModel([])
  const start = () => createStateSource({ log: store, checkpoints })
  const costs: number[] = []
  for (const [from, to] of [
    [2, 60],
    [61, 300],
  ] as const) {
    const states = start()
    await play({ store, model, states }, from, to)
    await states.settled()
    take()
    await start().open(SESSION)
    costs.push(take())
  }
  const records: readonly Rec[] = await store.read(SESSION, 0, 10_000)
  expect(records.length).toBeGreaterThan(1500)
  // A checkpoint is written when the log has grown by half: the rest is less than a third of it, plus one minimum.
  expect(Math.max(...costs)).toBeLessThan(records.length / 3 + 500)
})

test('facts of a long session start at its checkpoint', async () => {
  const { store, take } = counted(await seeded())
  const checkpoints = createCheckpoints()
  const states = createStateSource({ log: store, checkpoints })
  await play({ store, model: scriptedModel([]), states }, 2, 60)
  await states.settled()
  take()
  const { seq } = await createStateSource({ log: store, checkpoints }).facts(SESSION)
  expect(seq).toBeGreaterThan(100)
  expect(take()).toBe(1)
})

test('used call ids are read once per message, however often they are asked for', () => {
  let reads = 0
  const messageOf = (i: number) => ({
    role: 'assistant' as const,
    message_id: `m${i}`,
    provider: 'p',
    model: 'm',
    get content() {
      reads += 1
      return [{ type: 'tool_use' as const, call_id: `call-${i}`, name: 'n', input_text: '{}' }]
    },
  })
  const messages = Array.from({ length: 500 }, (_, i) => messageOf(i))
  const port = (count: number): Parameters<typeof usedCallIds>[0] => {
    const state = { messages: messages.slice(0, count), aborted_calls: ['gone'], agents: {} }
    const journal = { callIds: new Set<string>(), state }
    return { journal, state: () => state } as unknown as Parameters<typeof usedCallIds>[0]
  }
  for (let count = 1; count <= messages.length; count += 1) {
    const ids = usedCallIds(port(count))
    expect(ids.has(`call-${count - 1}`)).toBe(true)
    expect(ids.has('gone')).toBe(true)
    expect(ids.has('call-never')).toBe(false)
  }
  expect(reads).toBe(messages.length)
})

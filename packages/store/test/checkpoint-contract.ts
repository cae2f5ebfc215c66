/** The contract of checkpoint stores. */
import type { CheckpointStore, Store } from '@toolwire/core'
import { expect, test } from 'vitest'
import { create } from './contract/session-calls.ts'

const bytes = (...values: readonly number[]): Uint8Array => Uint8Array.from(values)

/** `open` gives an empty store; the caller closes it. */
export function describeCheckpoints(
  open: () => Promise<Store & { readonly checkpoints?: CheckpointStore }>,
): void {
  async function opened(): Promise<{ readonly store: Store; readonly checkpoints: CheckpointStore }> {
    const store = await open()
    if (!store.checkpoints) throw new Error('The store has no checkpoints.')
    return { store, checkpoints: store.checkpoints }
  }
  /** A store may save in the background. */
  const loads = (checkpoints: CheckpointStore, session: string) =>
    expect.poll(async () => {
      const data = await checkpoints.load(session)
      return data && [...data]
    })

  test('a checkpoint comes back as it was saved, with every byte', async () => {
    const { store, checkpoints } = await opened()
    await create(store, 'a', { events: [] })
    const every = Uint8Array.from({ length: 256 }, (_, i) => i)
    await checkpoints.save('a', 5, every)
    await loads(checkpoints, 'a').toEqual([...every])
    expect(await checkpoints.load('b')).toBeUndefined()
  })

  test('the checkpoint of the later position is kept, in any order', async () => {
    const { store, checkpoints } = await opened()
    await create(store, 'a', { events: [] })
    await checkpoints.save('a', 9, bytes(9))
    await checkpoints.save('a', 5, bytes(5))
    await checkpoints.save('a', 10, bytes(10))
    await checkpoints.save('a', 7, bytes(7))
    await loads(checkpoints, 'a').toEqual([10])
  })

  test('a removed checkpoint is gone, and the others stay', async () => {
    const { store, checkpoints } = await opened()
    for (const id of ['a', 'b']) {
      await create(store, id, { events: [] })
      await checkpoints.save(id, 1, bytes(1))
    }
    await loads(checkpoints, 'b').toEqual([1])
    await checkpoints.remove(['a'])
    await loads(checkpoints, 'a').toBeUndefined()
    expect(await checkpoints.load('b')).toBeDefined()
  })

  test('a removed session takes its checkpoint along, and a late one is not stored', async () => {
    const { store, checkpoints } = await opened()
    await create(store, 'a', { events: [] })
    await checkpoints.save('a', 1, bytes(1))
    await loads(checkpoints, 'a').toEqual([1])
    await store.remove('a')
    expect(await checkpoints.load('a')).toBeUndefined()
    await checkpoints.save('a', 2, bytes(2))
    await checkpoints.save('nosuch', 2, bytes(2))
    await create(store, 'b', { events: [] })
    await checkpoints.save('b', 1, bytes(3))
    await loads(checkpoints, 'b').toEqual([3])
    expect(await checkpoints.load('a')).toBeUndefined()
    expect(await checkpoints.load('nosuch')).toBeUndefined()
  })

  test('pruning takes checkpoints along', async () => {
    const { store, checkpoints } = await opened()
    await create(store, 'a', { events: [] })
    await checkpoints.save('a', 1, bytes(1))
    await loads(checkpoints, 'a').toEqual([1])
    expect(await store.prune({ before: Date.now() + 3_600_000 })).toBe(1)
    expect(await checkpoints.load('a')).toBeUndefined()
  })
}

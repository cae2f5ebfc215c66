import { openSqliteStore } from '@toolwire/store'
import { expect, test } from 'vitest'
import { describeStoreContract } from './contract.ts'
import { note } from './events.ts'
import { makeTemporaryFolder } from './temporary-folder.ts'

describeStoreContract('SQLite', async () => {
  let now = 1_000_000
  const folder = await makeTemporaryFolder()
  const store = await openSqliteStore({ dir: folder.path, now: () => now })
  return {
    store,
    tick: async () => {
      now += 1
    },
    // One process: a claimer under another name is the only one alive.
    endNode: async () => {},
    dispose: async () => {
      await store.close()
      await folder.remove()
    },
  }
})

test('what was just appended is at hand without a look into the database', async () => {
  const folder = await makeTemporaryFolder()
  const store = await openSqliteStore({ dir: folder.path })
  await store.append([{ session: 'a', create: true, events: [note(1), note(2)] }])
  expect(store.peek?.('a', 1, 10)).toEqual(await store.read('a', 1, 10))
  await store.close()
  expect(store.peek?.('a', 1, 10)).toBeUndefined()
  await folder.remove()
})

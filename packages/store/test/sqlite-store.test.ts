import { openSqliteStore } from '@toolwire/store'
import { describeStoreContract } from './contract.ts'
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
    // One process: whoever claims under another name is the only one alive.
    endNode: async () => {},
    dispose: async () => {
      await store.close()
      await folder.remove()
    },
  }
})

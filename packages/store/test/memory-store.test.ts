import { createMemoryStore } from '@toolwire/store'
import { describeStoreContract } from './contract.ts'

describeStoreContract('memory', async () => {
  let now = 1_000_000
  const store = createMemoryStore({ now: () => now })
  return {
    store,
    tick: async () => {
      now += 1
    },
    // One process: a claimer under another name is the only one alive.
    endNode: async () => {},
    dispose: () => store.close(),
  }
})

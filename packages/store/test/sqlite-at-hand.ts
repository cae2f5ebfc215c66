/** An open SQLite store in a temporary folder for every test of a file; both are removed afterwards. */
import type { Store } from '@toolwire/core'
import { openSqliteStore } from '@toolwire/store'
import { afterEach, beforeEach } from 'vitest'
import { makeTemporaryFolder, type TemporaryFolder } from './temporary-folder.ts'

type Options = Omit<Parameters<typeof openSqliteStore>[0], 'dir'>

interface SqliteAtHand {
  folder: TemporaryFolder
  /** The one that is open. */
  store: Store
  /** Closes it and opens the same data again. */
  readonly reopen: (options?: Options) => Promise<void>
}

/** To be called once, where the file begins. */
export function sqliteAtHand(options: Options = {}): SqliteAtHand {
  const open = (path: string, given: Options): Promise<Store> => openSqliteStore({ dir: path, ...given })
  const hand = {
    async reopen(given: Options = options) {
      await hand.store.close()
      hand.store = await open(hand.folder.path, given)
    },
  } as SqliteAtHand
  beforeEach(async () => {
    hand.folder = await makeTemporaryFolder()
    hand.store = await open(hand.folder.path, options)
  })
  afterEach(async () => {
    await hand.store.close()
    await hand.folder.remove()
  })
  return hand
}

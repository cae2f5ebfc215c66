/** Random operations: the SQLite store must answer every one of them as the memory store does, also after opening again. */
import { openSqliteStore } from '@toolwire/store'
import { test } from 'vitest'
import { expectLikeMemory } from './store-operations.ts'
import { makeTemporaryFolder } from './temporary-folder.ts'

test('SQLite answers every sequence of operations like the memory store, also when opened again in between', async () => {
  await expectLikeMemory(
    async clock => {
      const folder = await makeTemporaryFolder()
      return { open: () => openSqliteStore({ dir: folder.path, ...clock }), dispose: folder.remove }
    },
    Number(process.env['STORE_RUNS'] ?? 25),
  )
})

import { openPostgresFiles, openPostgresRecords } from '@toolwire/store'
import { expect, it } from 'vitest'
import { describeFilesContract, LIMITS } from '../files-contract.ts'
import { createTestDatabase } from './test-database.ts'

/** The records bring the tables. */
async function createFilesDatabase() {
  const database = await createTestDatabase()
  await (await openPostgresRecords(database.url)).close()
  return database
}

describeFilesContract('PostgreSQL', async (limits, now) => {
  const database = await createFilesDatabase()
  const files = openPostgresFiles({ url: database.url, limits, now })
  return {
    files,
    again: () => openPostgresFiles({ url: database.url, limits, now }),
    dispose: async () => {
      await files.close()
      await database.drop()
    },
  }
})

it('sweeps the chunks of an upload whose node was killed', async () => {
  const database = await createFilesDatabase()
  let time = 1_000_000_000_000
  const files = openPostgresFiles({ url: database.url, limits: LIMITS, now: () => time })
  const upload = await files.begin('ann')
  await upload.write(Buffer.alloc(2_500 * 1024))
  const chunks = async () => await database.query('select n from toolwire.file_chunk')
  await files.sweep(async () => new Set())
  expect(await chunks()).toHaveLength(2)
  time += 2 * 60 * 60 * 1000
  await files.sweep(async () => new Set())
  expect(await chunks()).toHaveLength(0)
  await files.close()
  await database.drop()
})

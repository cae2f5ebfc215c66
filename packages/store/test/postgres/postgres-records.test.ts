import { openPostgresRecords } from '@toolwire/store'
import { describeRecordsContract } from '../records-contract.ts'
import { createTestDatabase } from './test-database.ts'

describeRecordsContract('PostgreSQL', async () => {
  const database = await createTestDatabase()
  const records = await openPostgresRecords(database.url)
  return {
    records,
    dispose: async () => {
      await records.close()
      await database.drop()
    },
  }
})

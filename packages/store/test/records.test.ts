import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMemoryRecords } from '../src/memory/memory-records.ts'
import { openSqliteRecords } from '../src/sqlite/sqlite-records.ts'
import { describeRecordsContract } from './records-contract.ts'

describeRecordsContract('memory', async () => {
  const records = createMemoryRecords()
  return { records, dispose: () => records.close() }
})

describeRecordsContract('SQLite', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'toolwire-records-'))
  const records = openSqliteRecords(dir)
  return {
    records,
    again: () => openSqliteRecords(dir),
    async dispose() {
      await records.close()
      rmSync(dir, { recursive: true, force: true })
    },
  }
})

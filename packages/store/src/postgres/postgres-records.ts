/** Records in the sessions' database, so that every node knows the same keys. */
import type { Records, StoredRecord } from '@toolwire/core'
import { StoreOpenError } from '../store-errors.ts'
import { readableRecords, readStoredValue } from '../stored-value.ts'
import { createConnections } from './connections.ts'
import { describeDatabase } from './describe-database.ts'
import { migrate } from './migrate.ts'
import { toPgText } from './pg-text.ts'
import { createRetry } from './retry.ts'

interface RecordRow {
  readonly id: string
  readonly value: string
}

/** Rejects with StoreOpenError when the database cannot be reached or used. The caller closes it. */
export async function openPostgresRecords(url: string): Promise<Records> {
  const connections = createConnections(url)
  const { readers: pool } = connections
  let closing: Promise<void> | undefined
  const patiently = createRetry({
    isClosing: () => closing !== undefined,
    onUnprepared: connections.stopNaming,
  })
  try {
    const client = await pool.connect()
    await migrate(client, describeDatabase(url)).finally(() => client.release())
  } catch (error) {
    await connections.close()
    if (error instanceof StoreOpenError) throw error
    const message = error instanceof Error ? error.message : String(error)
    throw new StoreOpenError('store_unwritable', describeDatabase(url), message)
  }
  const run = (sql: string, values: readonly unknown[]): Promise<readonly RecordRow[]> =>
    patiently(async () => (await pool.query<RecordRow>(sql, [...values])).rows)

  async function get(kind: string, id: string): Promise<string | undefined> {
    const sql = 'select id, value from toolwire.record where kind = $1 and id = $2'
    return (await run(sql, [toPgText(kind), toPgText(id)]))[0]?.value
  }
  /** Writes only if the value is still `before`; undefined means absent. */
  async function swap(kind: string, id: string, before: string | undefined, after: string): Promise<boolean> {
    const key = [toPgText(kind), toPgText(id), after]
    const sql =
      before === undefined
        ? 'insert into toolwire.record values($1, $2, $3) on conflict do nothing returning id, value'
        : 'update toolwire.record set value = $3 where kind = $1 and id = $2 and value = $4 returning id, value'
    return (await run(sql, before === undefined ? key : [...key, before])).length > 0
  }

  return {
    get: async (kind, id) => parse(await get(kind, id)),
    async getMany(kind, ids) {
      const sql = 'select id, value from toolwire.record where kind = $1 and id = any($2)'
      return readableRecords(await run(sql, [toPgText(kind), ids.map(toPgText)]))
    },
    async put(kind, id, value) {
      await run(
        'insert into toolwire.record values($1, $2, $3) on conflict(kind, id) do update set value = excluded.value',
        [toPgText(kind), toPgText(id), JSON.stringify(value)],
      )
    },
    async update(kind, id, change) {
      for (;;) {
        const before = await get(kind, id)
        const value = change(parse(before))
        if (await swap(kind, id, before, JSON.stringify(value))) return value
      }
    },
    async remove(kind, id) {
      const sql = 'delete from toolwire.record where kind = $1 and id = $2 returning id, value'
      return (await run(sql, [toPgText(kind), toPgText(id)])).length > 0
    },
    async list(kind, limit) {
      const sql = 'select id, value from toolwire.record where kind = $1 order by id desc limit $2'
      const rows = await run(sql, [toPgText(kind), limit ?? null])
      return rows.toReversed().map((row): StoredRecord => ({ id: row.id, value: parse(row.value) }))
    },
    close() {
      closing ??= connections.close()
      return closing
    },
  }
}

const parse = (text: string | undefined): unknown => (text === undefined ? undefined : readStoredValue(text))

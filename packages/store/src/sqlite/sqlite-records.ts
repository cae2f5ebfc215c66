/**
 * Records in a separate small SQLite database. One process holds the sessions' database exclusively, while
 * commands such as `toolwire keys` must work beside a server.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Records, StoredRecord } from '@toolwire/core'
import { createDatabaseFile, makePrivateDirectory } from '../private-files.ts'
import { readableRecords, readStoredValue } from '../stored-value.ts'

const SCHEMA = `
create table if not exists record(
  kind text not null, id text not null, value text not null, primary key(kind, id)
) without rowid, strict`

/** Several processes may have it open. Throws when the folder or file cannot be used; the caller closes it. */
export function openSqliteRecords(dir: string): Records {
  makePrivateDirectory(dir)
  const file = join(dir, 'records.db')
  createDatabaseFile(file)
  const db = new DatabaseSync(file, { timeout: 5000 })
  db.exec('pragma journal_mode = wal; pragma synchronous = full')
  db.exec(SCHEMA)
  const select = db.prepare('select value from record where kind = ? and id = ?')
  const selectMany = db.prepare(
    'select id, value from record where kind = ? and id in (select value from json_each(?))',
  )
  const upsert = db.prepare(
    'insert into record values (?, ?, ?) on conflict(kind, id) do update set value = excluded.value',
  )
  const drop = db.prepare('delete from record where kind = ? and id = ?')
  const last = db.prepare('select id, value from record where kind = ? order by id desc limit ?')

  function get(kind: string, id: string): unknown {
    const row = select.get(kind, id)
    return row === undefined ? undefined : readStoredValue(String(row['value']))
  }
  return {
    get: async (kind, id) => get(kind, id),
    getMany: async (kind, ids) => readableRecords(selectMany.all(kind, JSON.stringify(ids)).map(toRow)),
    async put(kind, id, value) {
      upsert.run(kind, id, JSON.stringify(value))
    },
    async update(kind, id, change) {
      db.exec('begin immediate')
      try {
        const value = change(get(kind, id))
        upsert.run(kind, id, JSON.stringify(value))
        db.exec('commit')
        return value
      } catch (error) {
        db.exec('rollback')
        throw error
      }
    },
    remove: async (kind, id) => drop.run(kind, id).changes > 0,
    async list(kind, limit) {
      const rows = last
        .all(kind, limit ?? -1)
        .reverse()
        .map(toRow)
      return rows.map(({ id, value }): StoredRecord => ({ id, value: readStoredValue(value) }))
    },
    async close() {
      if (db.isOpen) db.close()
    },
  }
}

const toRow = (row: Record<string, unknown>) => ({ id: String(row['id']), value: String(row['value']) })

/** The version of the engine that this Node holds. */
export function sqliteVersion(): string {
  const db = new DatabaseSync(':memory:')
  try {
    return String(db.prepare('select sqlite_version() as version').get()?.['version'])
  } finally {
    db.close()
  }
}

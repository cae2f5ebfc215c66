import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { MIGRATIONS } from './migrations.ts'
import { createRecordReader } from './record-reader.ts'
import { createWriter } from './writer.ts'

let folder: string
let writing: DatabaseSync
let reading: DatabaseSync
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolwire-reader-'))
  writing = new DatabaseSync(join(folder, 'x.db'))
  writing.exec(`pragma journal_mode = wal; ${MIGRATIONS.join(';')}`)
  reading = new DatabaseSync(join(folder, 'x.db'), { readOnly: true })
})
afterEach(() => {
  reading.close()
  writing.close()
  rmSync(folder, { recursive: true })
})

/** The connection, with `between` happening right after each look into `recent`. */
function interrupt(db: DatabaseSync, between: () => void): DatabaseSync {
  return new Proxy(db, {
    get(target, name) {
      if (name !== 'prepare') {
        const value: unknown = Reflect.get(target, name, target)
        return typeof value === 'function' ? value.bind(target) : value
      }
      return (sql: string) => {
        const statement = target.prepare(sql)
        if (!sql.includes('from recent')) return statement
        return {
          all: () => {
            const rows = statement.all()
            between()
            return rows
          },
        }
      }
    },
  })
}

test('a read during which previews are settled sees each of them once', () => {
  const writer = createWriter(writing)
  const chunks = [{ session: 1, seq: 1, n: 1, epoch: 1, json: '[{"a":1}]' }]
  writer.run({ type: 'flush', durable: true, recent: '1,2,1,1,1\n[{"a":2}]', chunks, sessions: [] })
  const reader = createRecordReader(interrupt(reading, () => writer.run({ type: 'settle' })))
  const query = { num: 1, after: 0, max: 10, alsoRecent: true }
  expect(reader.readRecords(query).map(rec => rec.seq)).toEqual([1, 2])
  expect(writing.prepare('select count(*) as n from recent').get()).toEqual({ n: 0 })
  expect(reader.readRecords(query).map(rec => rec.seq)).toEqual([1, 2])
})

/** Damaged values of small records: read as they are, or rejected by name, and repaired by the next write. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AppError, type Records } from '@toolwire/core'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bombed } from '../../core/test/bombs.ts'
import { fuzzing, mutatedText } from '../../core/test/mutate.ts'
import { openPostgresRecords, openSqliteRecords } from '../src/index.ts'
import { createTestDatabase } from './postgres/test-database.ts'

const VALUE = { id: 'key_1', name: 'ci', scopes: ['read'], spent: { usd: 1.5 }, revoked: null }

interface Damaged {
  readonly records: Records
  /** Writes this text as the value of the record. */
  readonly damage: (text: string) => Promise<void>
  readonly dispose: () => Promise<void>
}

async function inSqlite(): Promise<Damaged> {
  const dir = mkdtempSync(join(tmpdir(), 'toolwire-fuzz-records-'))
  const records = openSqliteRecords(dir)
  const db = new DatabaseSync(join(dir, 'records.db'), { timeout: 5000 })
  const update = db.prepare("update record set value = ? where kind = 'k' and id = 'a'")
  return {
    records,
    damage: async text => {
      update.run(text)
    },
    async dispose() {
      db.close()
      await records.close()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

async function inPostgres(): Promise<Damaged> {
  const database = await createTestDatabase()
  const records = await openPostgresRecords(database.url)
  const sql = "update toolwire.record set value = $1 where kind = 'k' and id = 'a'"
  return {
    records,
    damage: async text => void (await database.query(sql, [text])),
    async dispose() {
      await records.close()
      await database.drop()
    },
  }
}

describe.for([
  ['SQLite', inSqlite, 300],
  ['PostgreSQL', inPostgres, 25],
] as const)('in %s', ([, open, runs]) => {
  let damaged: Damaged
  beforeAll(async () => {
    damaged = await open()
    await damaged.records.put('k', 'a', VALUE)
    await damaged.records.put('k', 'b', VALUE)
  })
  afterAll(() => damaged.dispose())

  async function expectReadOrRefused(text: string): Promise<void> {
    const { records, damage } = damaged
    // Neither database stores a text with NUL; both take any other.
    await damage(text.toWellFormed().replaceAll('\0', ''))
    for (const read of [
      () => records.get('k', 'a'),
      () => records.list('k'),
      () => records.update('k', 'a', value => value),
    ])
      try {
        await read()
      } catch (error) {
        if (!AppError.is(error)) throw error
        expect(error.code).toBe('storage_error')
      }
    expect(await records.get('k', 'b')).toEqual(VALUE)
    await records.put('k', 'a', VALUE)
    expect(await records.get('k', 'a')).toEqual(VALUE)
  }

  test('a damaged value is read or refused, and can be replaced', async () => {
    await fc.assert(
      fc.asyncProperty(mutatedText([JSON.stringify(VALUE)]), expectReadOrRefused),
      fuzzing(runs),
    )
  })

  test('text that is no JSON is refused by name', async () => {
    await damaged.damage('{"id":')
    await expect(damaged.records.get('k', 'a')).rejects.toMatchObject({ code: 'storage_error' })
    await expect(damaged.records.list('k')).rejects.toMatchObject({ code: 'storage_error' })
    expect(await damaged.records.getMany('k', ['a', 'b'])).toEqual([{ id: 'b', value: VALUE }])
    await expect(damaged.records.update('k', 'a', () => 1)).rejects.toMatchObject({ code: 'storage_error' })
    await damaged.records.put('k', 'a', VALUE)
  })

  test('a bomb is read or refused', async () => {
    await fc.assert(
      fc.asyncProperty(bombed([VALUE]), async text => {
        await damaged.damage(text)
        const read = damaged.records.get('k', 'a')
        const came = await read.then(
          () => 'read',
          (error: unknown) => (AppError.is(error) ? error.code : error),
        )
        expect(['read', 'storage_error']).toContain(came)
      }),
      fuzzing(20),
    )
    await damaged.records.put('k', 'a', VALUE)
  })
})

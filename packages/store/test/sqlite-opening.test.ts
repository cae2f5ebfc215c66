/** Opening: who may, what is refused and how clearly. */
import { mkdir, open, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openSqliteStore, StoreLockedError, StoreOpenError } from '@toolwire/store'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startAppender } from './appender.ts'
import { message, note } from './events.ts'
import { makeTemporaryFolder, type TemporaryFolder } from './temporary-folder.ts'

let folder: TemporaryFolder
beforeEach(async () => {
  folder = await makeTemporaryFolder()
})
afterEach(() => folder.remove())

const openAndClose = async (): Promise<void> => (await openSqliteStore({ dir: folder.path })).close()

async function refusal(): Promise<unknown> {
  try {
    await openAndClose()
  } catch (error) {
    return error
  }
  throw new Error('opening should have been refused')
}

function change(sql: string): void {
  const db = new DatabaseSync(folder.file)
  db.exec(sql)
  db.close()
}

test('the same data cannot be opened twice in one process; closing frees them', async () => {
  const store = await openSqliteStore({ dir: folder.path })
  const error = await refusal()
  expect(error).toBeInstanceOf(StoreLockedError)
  expect(error).toMatchObject({ code: 'store_locked', path: `${folder.file}.lock` })
  await store.append([{ session: 'a', create: true, events: [note(1)] }])
  await store.close()
  await openAndClose()
})

test('data in use by another process are refused until that process is gone, however it went', async () => {
  const other = await startAppender(folder.path)
  await other.acked(1)
  expect(await refusal()).toBeInstanceOf(StoreLockedError)
  await other.kill()
  await openAndClose()
})

test('a refused opening leaves the data free for the next', async () => {
  await openAndClose()
  change('pragma user_version = 999')
  await refusal()
  change('pragma user_version = 2')
  await openAndClose()
})

test('a database of a newer version is refused and left as it is', async () => {
  await openAndClose()
  change('pragma user_version = 999')
  const before = await readFile(folder.file)
  const error = await refusal()
  expect(error).toBeInstanceOf(StoreOpenError)
  expect(error).toMatchObject({ code: 'store_newer', path: folder.file })
  expect(String(error)).toContain('999')
  expect((await readFile(folder.file)).equals(before)).toBe(true)
})

test('a file that is no database is refused by name and left as it is', async () => {
  await writeFile(
    folder.file,
    'This is a letter to a friend, and it is long enough to have a header. '.repeat(50),
  )
  const before = await readFile(folder.file)
  const error = await refusal()
  expect(error).toMatchObject({ code: 'store_corrupt', path: folder.file })
  expect(String(error)).toContain(folder.file)
  expect((await readFile(folder.file)).equals(before)).toBe(true)
})

test('a database of another program is refused and left as it is', async () => {
  change('create table theirs(x)')
  const before = await readFile(folder.file)
  expect(await refusal()).toMatchObject({ code: 'store_corrupt', path: folder.file })
  expect((await readFile(folder.file)).equals(before)).toBe(true)
})

/** Damages a page of the log that opening does not read. */
async function damageLog(): Promise<void> {
  const store = await openSqliteStore({ dir: folder.path })
  for (let i = 0; i < 40; i++)
    await store.append([{ session: `s${i}`, create: true, events: message('m', 30) }])
  await store.close()
  const db = new DatabaseSync(folder.file, { readOnly: true })
  const page = db
    .prepare("select pageno from dbstat where name = 'chunk' and pagetype = 'leaf' limit 1")
    .get()
  db.close()
  const handle = await open(folder.file, 'r+')
  await handle.write(Buffer.alloc(64, 0xff), 0, 64, (Number(page?.['pageno']) - 1) * 4096)
  await handle.close()
}

test('damage is not looked for after a clean end, and found on demand', async () => {
  await damageLog()
  const problems: string[] = []
  const store = await openSqliteStore({ dir: folder.path, onDamage: problem => problems.push(problem) })
  expect(await store.checkIntegrity?.()).toContain('btree')
  expect(problems).toEqual([])
  await store.close()
})

test('damage is reported after an unclean end, beside the service', async () => {
  await damageLog()
  await writeFile(`${folder.file}-open`, await readFile('/proc/sys/kernel/random/boot_id', 'utf8'))
  const found = Promise.withResolvers<string>()
  const store = await openSqliteStore({ dir: folder.path, onDamage: found.resolve, checkAfterMs: 0 })
  expect(await store.append([{ session: 'new', create: true, events: [] }])).toEqual([{ head: 0 }])
  expect(await found.promise).toContain('btree')
  await store.close()
})

test('a check of a sound database reports nothing, and closing does not wait for one', async () => {
  await openAndClose()
  await writeFile(`${folder.file}-open`, 'another boot')
  const problems: string[] = []
  const onDamage = (problem: string): void => void problems.push(problem)
  const store = await openSqliteStore({ dir: folder.path, onDamage, checkAfterMs: 0 })
  expect(await store.checkIntegrity?.()).toBeUndefined()
  await store.close()
  expect(problems).toEqual([])
})

test('a folder that cannot be made is refused by name', async () => {
  await writeFile(join(folder.path, 'taken'), '')
  const dir = join(folder.path, 'taken', 'data')
  await expect(openSqliteStore({ dir })).rejects.toMatchObject({
    name: 'StoreOpenError',
    code: 'store_unwritable',
    path: dir,
  })
})

test('a database that cannot be written is refused by name', async () => {
  await mkdir(folder.file)
  expect(await refusal()).toMatchObject({
    name: 'StoreOpenError',
    code: 'store_unwritable',
    path: folder.file,
  })
})

test('the folder is made when it is absent, and the database uses a write-ahead log', async () => {
  const dir = join(folder.path, 'deep', 'er')
  const store = await openSqliteStore({ dir })
  const db = new DatabaseSync(join(dir, 'toolwire.db'), { readOnly: true })
  expect(db.prepare('pragma journal_mode').get()).toEqual({ journal_mode: 'wal' })
  db.close()
  await store.close()
})

test('owners of before are forgotten: their process is gone', async () => {
  const store = await openSqliteStore({ dir: folder.path })
  await store.append([{ session: 'a', create: true, events: [], state: 'running' }])
  await store.claim({ node: 'n', ttlMs: 10_000, max: 1 })
  await store.close()
  const again = await openSqliteStore({ dir: folder.path })
  expect((await again.list({ limit: 1 })).items[0]?.owner).toBe(null)
  expect(await again.claim({ node: 'n', ttlMs: 10_000, max: 1 })).toEqual([
    { session: 'a', epoch: 2, head: 0 },
  ])
  await again.close()
})

test('the migrations add up to the pinned schema', async () => {
  await openAndClose()
  const db = new DatabaseSync(folder.file, { readOnly: true })
  const rows = db.prepare('select sql from sqlite_schema where sql is not null order by rowid').all()
  const { user_version: version } = db.prepare('pragma user_version').get() ?? {}
  db.close()
  const schema = [`-- version ${String(version)}`, ...rows.map(row => `${String(row['sql'])};`), ''].join(
    '\n',
  )
  await expect(schema).toMatchFileSnapshot('./schema.golden.sql')
})

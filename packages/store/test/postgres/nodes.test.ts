/** What only a store of many nodes has: hints between nodes, races, lost answers, leases, folding, the schema. */
import { readFileSync } from 'node:fs'
import type { Append, Store } from '@toolwire/core'
import { openPostgresStore, StoreOpenError } from '@toolwire/store'
import pg from 'pg'
import { expect, test } from 'vitest'
import { migrate } from '../../src/postgres/migrate.ts'
import { MIGRATIONS } from '../../src/postgres/migrations.ts'
import { appendOne, claimOne, create, rowOf, values } from '../contract/session-calls.ts'
import { delta, message, note } from '../events.ts'
import { databaseAtHand } from './database-at-hand.ts'

const hand = databaseAtHand()
const { open } = hand

for (const listen of [true, false])
  test(`a watcher on another node hears of appends and of a removal, ${listen ? 'by notification' : 'by polling alone'}`, async () => {
    const writer = await open({ listen })
    const watcher = await open({ listen })
    await create(writer, 'a')
    expect(await watcher.read('a', 0, 10)).toHaveLength(1)
    const heard: (readonly [string, number])[] = []
    await watcher.watch((session, head) => heard.push([session, head]))
    await appendOne(writer, { session: 'a', events: [note(2), note(3)] })
    await expect.poll(() => heard, { timeout: 30_000 }).toContainEqual(['a', 3])
    expect(values(await watcher.read('a', 1, 10))).toEqual([2, 3])
    await writer.remove('a')
    await expect.poll(() => heard, { timeout: 30_000 }).toContainEqual(['a', 0])
    expect(await watcher.read('a', 0, 10)).toEqual([])
  })

test('notifications announce sessions without a local reader', async () => {
  const writer = await open()
  const watcher = await open()
  const heard: string[] = []
  await watcher.watch((session, head) => heard.push(`${session}:${head}`))
  await create(writer, 'new')
  await expect.poll(() => heard, { timeout: 30_000 }).toContain('new:1')
})

test('a live reader with a hint of another node’s event gets it, although its own node has cached the earlier end', async () => {
  const store = await open()
  const other = await open()
  await create(store, 'a')
  const heard: string[] = []
  await store.watch((session, head) => heard.push(`${session}:${head}`))
  await appendOne(store, { session: 'a', events: [note(2), note(3)] })
  await appendOne(other, { session: 'a', events: [note(4)] })
  await expect.poll(() => heard, { timeout: 30_000 }).toContain('a:4')
  expect(values(await store.read('a', 1, 10, { live: true }))).toEqual([2, 3, 4])
})

test('writes that are flushed together share one notification', async () => {
  const writer = await open({ listen: false })
  const ids = Array.from({ length: 200 }, (_, i) => `s${i}`)
  await writer.append(ids.map(session => ({ session, create: true, events: [] })))
  const listener = new pg.Client({ connectionString: hand.database.url })
  await listener.connect()
  const told: string[] = []
  listener.on('notification', ({ payload }) => told.push(payload ?? ''))
  await listener.query('listen toolwire')
  await writer.append(ids.map(session => ({ session, events: [note(1)] })))
  await expect
    .poll(() => ids.filter(id => told.some(payload => payload.includes(`"${id}"`))).length)
    .toBe(200)
  expect(told).toHaveLength(1)
  await listener.end()
})

test('a write of an earlier epoch is refused also when its number is the next one', async () => {
  const store = await open()
  await create(store, 'a', { state: 'running' })
  const first = await claimOne(store, 'a', 'n1')
  await store.claim({ node: 'n1', ttlMs: 0, max: 0 })
  const second = await claimOne(store, 'a', 'n2')
  await appendOne(store, { session: 'a', as: { epoch: second, w: 1 }, events: [note('new owner')] })
  const late = appendOne(store, { session: 'a', as: { epoch: first, w: 2 }, events: [note('zombie')] })
  expect(await late).toEqual({ fenced: second })
  expect(values(await store.read('a', 1, 10))).toEqual(['new owner'])
})

test('a node that has lost its notifications hears of everything by polling, and listens again', async () => {
  const writer = await open()
  const watcher = await open()
  await create(writer, 'a')
  await watcher.read('a', 0, 10)
  const heard: string[] = []
  await watcher.watch((session, head) => heard.push(`${session}:${head}`))
  await hand.database.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and (query like 'select 1%' or query like 'listen%')",
  )
  await appendOne(writer, { session: 'a', events: [note(2)] })
  await expect.poll(() => heard, { timeout: 30_000 }).toContain('a:2')
})

test('inputs and owner writes of three nodes go into one log without gap, loss or repeat', async () => {
  const nodes = [await open(), await open(), await open()]
  const [owner] = nodes
  if (!owner) throw new Error('three nodes are open')
  const sessions = ['a', 'b', 'c', 'd', 'e']
  for (const id of sessions) await create(owner, id, { events: [] })
  const streams = sessions.map(async id => {
    const epoch = await claimOne(owner, id, 'owner')
    for (let w = 1; w <= 60; w++) {
      const answer = await appendOne(owner, { session: id, as: { epoch, w }, events: [delta(`${w}`)] })
      expect(answer).toHaveProperty('head')
    }
  })
  const inputs = nodes.map(async (node, n) => {
    for (let i = 0; i < 30; i++) {
      const writes: Append[] = sessions.map(session => ({ session, events: [note(`${n}:${i}`)] }))
      const shared: Append[] = sessions
        .toReversed()
        .map(session => ({ session, key: `k${i}`, events: [note(`shared ${i}`)] }))
      for (const answer of await node.append([...writes, ...shared]))
        expect(answer).not.toHaveProperty('fenced')
    }
  })
  await Promise.all([...streams, ...inputs])
  for (const id of sessions) {
    const records = await owner.read(id, 0, 10_000)
    expect(records.map(rec => rec.seq)).toEqual(records.map((_, i) => i + 1))
    const said = values(records)
    expect(said).toHaveLength(60 + 3 * 30 + 30)
    expect(new Set(said).size).toBe(said.length)
    expect(said.filter(value => /^\d+$/.test(String(value)))).toEqual(
      Array.from({ length: 60 }, (_, i) => String(i + 1)),
    )
  }
})

test('of appends with one key on three nodes at once exactly one is stored, and all callers learn its seq', async () => {
  const nodes = [await open(), await open(), await open()]
  const [first] = nodes
  if (!first) throw new Error('three nodes are open')
  await create(first, 'a', { events: [] })
  for (let i = 0; i < 20; i++) {
    const answers = await Promise.all(
      nodes.map(node => appendOne(node, { session: 'a', key: `k${i}`, events: [note(i)] })),
    )
    expect(answers.filter(answer => 'head' in answer)).toEqual([{ head: i + 1 }])
    expect(answers.filter(answer => 'dup' in answer)).toEqual([{ dup: i + 1 }, { dup: i + 1 }])
  }
})

test('a session created on two nodes at once is made by one of them', async () => {
  const nodes = [await open(), await open()]
  for (let i = 0; i < 10; i++) {
    const answers = await Promise.all(nodes.map(node => create(node, `s${i}`)))
    expect(answers).toContainEqual({ head: 1 })
    expect(answers).toContainEqual({ conflict: 1 })
  }
})

test('connections that break in mid-append lose nothing and store nothing twice', async () => {
  const store = await open()
  await create(store, 'a', { events: [] })
  const epoch = await claimOne(store, 'a')
  let running = true
  const breaking = (async () => {
    while (running) {
      await hand.database.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      )
      await new Promise(resolve => setTimeout(resolve, 15))
    }
  })()
  for (let w = 1; w <= 40; w++)
    expect(
      await store.append([
        { session: 'a', as: { epoch, w }, events: [note(`own ${w}`)] },
        { session: 'a', events: [note(`other ${w}`)] },
      ]),
    ).toEqual([{ head: 2 * w - 1 }, { head: 2 * w }])
  running = false
  await breaking
  const said = values(await store.read('a', 0, 1000))
  expect(said).toHaveLength(80)
  expect(new Set(said).size).toBe(80)
})

test('a live lease keeps its sessions, one that has ended does not, and one given up is free at once', async () => {
  const store = await open()
  await create(store, 'a', { state: 'running' })
  expect(await store.claim({ node: 'n1', ttlMs: 60_000, max: 10 })).toHaveLength(1)
  const other = (): Promise<readonly unknown[]> => store.claim({ node: 'n2', ttlMs: 60_000, max: 10 })
  expect(await other()).toEqual([])
  expect(await store.claim({ node: 'n2', ttlMs: 60_000, max: 1, session: 'a' })).toEqual([])
  await store.claim({ node: 'n1', ttlMs: 0, max: 0 })
  expect(await other()).toEqual([{ session: 'a', epoch: 2, head: 1 }])
})

test('whether a node has left is known from its lease, and of one that never had any nothing is', async () => {
  const store = await open()
  expect(await store.isLeaseExpired?.('n1')).toBe(false)
  await store.claim({ node: 'n1', ttlMs: 60_000, max: 0 })
  expect(await store.isLeaseExpired?.('n1')).toBe(false)
  await store.claim({ node: 'n1', ttlMs: 0, max: 0 })
  expect(await store.isLeaseExpired?.('n1')).toBe(true)
})

test('a running session is claimed by one of many nodes at once, also by unknown nodes', async () => {
  const nodes = [await open(), await open(), await open()]
  const [first] = nodes
  if (!first) throw new Error('three nodes are open')
  for (let round = 0; round < 10; round++) {
    const ids = Array.from({ length: 20 }, (_, i) => `r${round}-${i}`)
    await first.append(ids.map(session => ({ session, create: true, events: [], state: 'running' as const })))
    const claim = (node: Store, n: number): ReturnType<Store['claim']> =>
      node.claim({ node: `n${round}-${n}`, ttlMs: 600_000, max: 20 })
    const claims = await Promise.all(nodes.map(claim))
    const all = [...claims.flat(), ...(await claim(first, 0))]
    expect(all.map(claimed => claimed.session).sort()).toEqual(ids.toSorted())
    expect(all.every(claimed => claimed.epoch === 1)).toBe(true)
    const named = await Promise.all(
      nodes.map((node, n) => {
        const session = `s${round}`
        return create(node, session).then(() =>
          node.claim({ node: `m${round}-${n}`, ttlMs: 600_000, max: 1, session }),
        )
      }),
    )
    expect(named.flat()).toHaveLength(1)
  }
})

test('a session claimed by a lost response is claimed again by its owner, and by no other node', async () => {
  const store = await open()
  for (const session of ['known', 'lost']) await create(store, session, { state: 'running' })
  const look = (node: string, known?: readonly string[]): ReturnType<Store['claim']> =>
    store.claim({ node, ttlMs: 60_000, max: 10, ...(known ? { known } : {}) })
  expect(await look('n1')).toHaveLength(2)
  expect(await look('n2', [])).toEqual([])
  expect(await look('n1')).toEqual([])
  expect(await look('n1', ['known'])).toEqual([{ session: 'lost', epoch: 2, head: 1 }])
  expect(await look('n1', ['known', 'lost'])).toEqual([])
})

test('an ended message takes a few rows, is read as it was from any place, and much less space', async () => {
  const store = await open()
  const other = await open()
  await create(store, 'a', { events: [] })
  const epoch = await claimOne(store, 'a')
  const events = message('msg_1', 500)
  for (const [i, ev] of events.entries())
    await appendOne(store, { session: 'a', as: { epoch, w: i + 1 }, events: [ev] })
  const before = await other.read('a', 0, 10_000)
  const rows = async (): Promise<number> =>
    Number((await hand.database.query('select count(*) as n from toolwire.chunk'))[0]?.['n'])
  await expect.poll(rows, { timeout: 30_000 }).toBe(1)
  const fresh = await open()
  expect(await fresh.read('a', 0, 10_000)).toEqual(before)
  expect(before.map(rec => rec.ev)).toEqual(events)
  for (const after of [1, 250, 502, 503])
    expect(await fresh.read('a', after, 7)).toEqual(before.slice(after, after + 7))
  const [size] = await hand.database.query('select sum(length(data)) as bytes from toolwire.chunk')
  expect(Number(size?.['bytes'])).toBeLessThan(JSON.stringify(events).length / 8)
  expect(await appendOne(store, { session: 'a', events: [note('later')] })).toEqual({ head: 505 })
})

test('removing while an owner writes leaves no row behind and notifies the owner', async () => {
  const store = await open()
  const other = await open()
  await create(store, 'a', { events: [] })
  const epoch = await claimOne(store, 'a')
  let stopped: unknown
  const writing = (async () => {
    for (let w = 1; stopped === undefined; w++) {
      const answer = await appendOne(store, { session: 'a', as: { epoch, w }, events: message(`m${w}`, 3) })
      if (!('head' in answer)) stopped = answer
    }
  })()
  await expect.poll(async () => (await rowOf(other, 'a'))?.head ?? 0).toBeGreaterThan(50)
  expect(await other.remove('a')).toBe(true)
  await writing
  expect(stopped).toEqual({ missing: 'deleted' })
  await new Promise(resolve => setTimeout(resolve, 600))
  expect(await hand.database.query('select * from toolwire.chunk')).toEqual([])
})

test('titles, labels and keys with characters that the database cannot hold are kept without them', async () => {
  const store = await open()
  await create(store, 'a', { key: 'k\u0000', index: { title: 'a\u0000b\ud83e', labels: { x: '\u0000' } } })
  expect(await rowOf(store, 'a')).toMatchObject({ title: 'a\uFFFDb\uFFFD', labels: { x: '\uFFFD' } })
  expect(await create(store, 'a', { key: 'k\u0000' })).toEqual({ dup: 1 })
})

const GOLDEN = new URL('./schema.golden.txt', import.meta.url)

test('the schema is the pinned one', async () => {
  await open()
  const rows = await hand.database.query(`
    select format('%s.%s %s%s%s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
      case when a.attnotnull then ' not null' else '' end, case when a.attidentity <> '' then ' identity' else '' end) as line
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'toolwire'::regnamespace and c.relkind = 'r' and a.attnum > 0 order by c.relname, a.attnum`)
  const indexes = await hand.database.query(
    "select indexdef as line from pg_indexes where schemaname = 'toolwire' order by indexname",
  )
  const lines = [...rows, ...indexes].map(row => `${row['line']}\n`).join('')
  expect(lines).toBe(readFileSync(GOLDEN, 'utf8'))
})

test('nodes that start at the same moment on an empty database all find one schema', async () => {
  await Promise.all(Array.from({ length: 5 }, () => open()))
  expect(await hand.database.query('select version from toolwire.meta')).toEqual([
    { version: MIGRATIONS.length },
  ])
})

test('a newer schema that still works with this program is opened, one that does not is refused', async () => {
  await open()
  const client = new pg.Client({ connectionString: hand.database.url })
  await client.connect()
  const added = { sql: 'alter table toolwire.session add column later text', worksWith: MIGRATIONS.length }
  await migrate(client, 'test', [...MIGRATIONS, added])
  const older = await open()
  expect(await create(older, 'a')).toEqual({ head: 1 })
  const broken = { sql: 'select 1', worksWith: MIGRATIONS.length + 2 }
  await migrate(client, 'test', [...MIGRATIONS, added, broken])
  await client.end()
  await expect(open()).rejects.toSatisfy(
    error => error instanceof StoreOpenError && error.code === 'store_newer',
  )
})

test('a server older than 15 is refused in words before anything is made in its database', async () => {
  const client = new pg.Client({ connectionString: hand.database.url })
  await client.connect()
  const asked: string[] = []
  // Real in everything but what it says of its version.
  const old = Object.assign(Object.create(client) as pg.Client, {
    async query(sql: string) {
      asked.push(sql)
      const { rows } = await client.query(sql)
      return { rows: rows.map(row => ({ ...row, version: 140_012, label: '14.12' })) }
    },
  })
  await expect(migrate(old, 'the database')).rejects.toMatchObject({
    code: 'store_unsupported',
    message: expect.stringContaining('PostgreSQL 14.12 is too old; 15 or later is needed'),
  })
  expect(asked).toHaveLength(1)
  const made = await client.query("select 1 from pg_namespace where nspname = 'toolwire'")
  expect(made.rows).toEqual([])
  await client.end()
})

test('a database in another encoding than UTF-8 is refused', async () => {
  const name = `toolwire_ascii_${process.pid}_${Date.now()}`
  await hand.database.query(`create database ${name} encoding 'SQL_ASCII' template template0 locale 'C'`)
  const url = new URL(hand.database.url)
  url.pathname = `/${name}`
  await expect(openPostgresStore({ url: url.href })).rejects.toMatchObject({
    code: 'store_unsupported',
    message: expect.stringContaining('SQL_ASCII'),
  })
  await hand.database.query(`drop database ${name} with (force)`)
})

test('a database that cannot be reached is named without its password', async () => {
  const refused = openPostgresStore({ url: 'postgres://me:secret@127.0.0.1:1/none' })
  await expect(refused).rejects.toSatisfy(
    error =>
      error instanceof StoreOpenError &&
      !error.message.includes('secret') &&
      error.message.includes('127.0.0.1:1'),
  )
})

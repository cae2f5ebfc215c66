/**
 * What the stores carry on this machine: events appended per second, time from append to a watcher on
 * another node, beside plain COPY into one table and beside SQLite, all in one run. Starts a PostgreSQL
 * of its own, with fsync. `--quick` is a smoke run. Prints a Markdown table.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { EventOf, Store } from '@toolwire/core'
import { openPostgresStore, openSqliteStore } from '@toolwire/store'
import { type Cluster, createCluster } from '../packages/store/test/postgres/cluster.ts'
import { createTestDatabase } from '../packages/store/test/postgres/test-database.ts'

const { values: flags } = parseArgs({ options: { quick: { type: 'boolean', default: false } } })
const SECONDS = flags.quick ? 1 : 8
const SESSIONS = 1000
const PER_APPEND = 5

const delta = (at: number): EventOf<'block.delta'> => ({
  type: 'block.delta',
  ts: new Date(at).toISOString(),
  run_id: '0b7d4c4e-7d0c-4a0e-9a52-55a2f4d3c001',
  turn: 1,
  block_id: 'msg_0123456789abcdef.0',
  offset: 0,
  text: 'a few words ',
})

interface Owned {
  readonly id: string
  readonly epoch: number
  w: number
}

async function own(store: Store, count: number): Promise<readonly Owned[]> {
  const ids = Array.from({ length: count }, (_, i) => `bench-${i}`)
  await store.append(ids.map(session => ({ session, create: true, events: [], state: 'running' as const })))
  const owned: Owned[] = []
  while (owned.length < count)
    for (const { session, epoch } of await store.claim({ node: 'bench', ttlMs: 600_000, max: 500 }))
      owned.push({ id: session, epoch, w: 0 })
  return owned
}

/** Each session appends again as soon as its last append is stored. Events per second. */
async function saturate(store: Store): Promise<number> {
  const sessions = await own(store, SESSIONS)
  const events = Array.from({ length: PER_APPEND }, () => delta(0))
  const end = performance.now() + SECONDS * 1000
  let stored = 0
  await Promise.all(
    sessions.map(async session => {
      while (performance.now() < end) {
        session.w += 1
        await store.append([{ session: session.id, as: { epoch: session.epoch, w: session.w }, events }])
        stored += events.length
      }
    }),
  )
  return stored / SECONDS
}

/** Appends at a fixed rate on one node, reads by hints on another. Milliseconds from append to the reader. */
async function tail(writer: Store, reader: Store, rate: number): Promise<readonly number[]> {
  const sessions = await own(writer, 200)
  const times: number[] = []
  const reading = new Map<string, { seq: number; again: boolean }>()
  async function pull(id: string): Promise<void> {
    const known = reading.get(id)
    if (known) {
      known.again = true
      return
    }
    const place = { seq: positions.get(id) ?? 0, again: true }
    reading.set(id, place)
    while (place.again) {
      place.again = false
      const records = await reader.read(id, place.seq, 1000, { live: true })
      const now = Date.now()
      if (records[0] && records[0].seq !== place.seq + 1) throw new Error(`gap in ${id}`)
      place.seq = records.at(-1)?.seq ?? place.seq
      for (const { ev } of records) times.push(now - Date.parse(ev.ts))
    }
    positions.set(id, place.seq)
    reading.delete(id)
  }
  const positions = new Map<string, number>()
  const stop = await reader.watch(session => {
    if (session !== '*') void pull(session)
  })
  const pauseMs = (sessions.length * 1000) / rate
  const end = performance.now() + SECONDS * 1000
  await Promise.all(
    sessions.map(async (session, i) => {
      await pause((pauseMs * i) / sessions.length)
      while (performance.now() < end) {
        const began = performance.now()
        session.w += 1
        const as = { epoch: session.epoch, w: session.w }
        await writer.append([{ session: session.id, as, events: [delta(Date.now())] }])
        await pause(Math.max(0, pauseMs - (performance.now() - began)))
      }
    }),
  )
  await pause(1000)
  stop()
  return times
}

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))

/** The same JSON into a table without keys, in transactions of 1,000 rows: what the disk and the wire alone allow. */
async function copyPlain(url: string): Promise<number> {
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('create table plain(data text)')
  const row = JSON.stringify(delta(0))
  const rows = Array.from({ length: 1000 }, () => row)
  const end = performance.now() + SECONDS * 1000
  let stored = 0
  while (performance.now() < end) {
    await client.query('insert into plain select * from unnest($1::text[])', [rows])
    stored += rows.length
  }
  await client.end()
  return stored / SECONDS
}

const part = (times: readonly number[], at: number): number => {
  const sorted = times.toSorted((a, b) => a - b)
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? 0)
}

async function onDatabase<T>(cluster: Cluster, work: (url: string) => Promise<T>): Promise<T> {
  const database = await createTestDatabase(`${cluster.url}/postgres`)
  try {
    return await work(database.url)
  } finally {
    await database.drop()
  }
}

async function withStores<T>(url: string, work: (first: Store, second: Store) => Promise<T>): Promise<T> {
  const stores = [await openPostgresStore({ url }), await openPostgresStore({ url })] as const
  try {
    return await work(...stores)
  } finally {
    await Promise.all(stores.map(store => store.close()))
  }
}

async function sqlite(): Promise<number> {
  const dir = mkdtempSync(join(tmpdir(), 'toolwire-bench-'))
  const store = await openSqliteStore({ dir })
  try {
    return await saturate(store)
  } finally {
    await store.close()
    rmSync(dir, { recursive: true, force: true })
  }
}

const cluster = await createCluster({ dir: mkdtempSync(join(tmpdir(), 'toolwire-bench-pg-')), fsync: true })
try {
  await cluster.start()
  const plain = await onDatabase(cluster, copyPlain)
  const postgres = await onDatabase(cluster, url => withStores(url, saturate))
  const file = await sqlite()
  const rows: (readonly [string, string])[] = [
    ['plain inserts of 1,000 rows, events/s', plain.toFixed(0)],
    [
      'PostgreSQL store, events/s on one node',
      `${postgres.toFixed(0)} (${(postgres / plain).toFixed(2)} of plain)`,
    ],
    ['SQLite store, events/s', `${file.toFixed(0)} (PostgreSQL is ${(postgres / file).toFixed(2)} of it)`],
  ]
  for (const rate of [200, 2000, 10_000]) {
    const times = await onDatabase(cluster, url => withStores(url, (a, b) => tail(a, b, rate)))
    rows.push([
      `append to watcher on another node, ${rate} events/s offered (${(times.length / SECONDS).toFixed(0)} seen)`,
      `p50 ${part(times, 0.5)} ms, p99 ${part(times, 0.99)} ms`,
    ])
  }
  process.stdout.write('| what | measured |\n|---|---|\n')
  for (const [name, value] of rows) process.stdout.write(`| ${name} | ${value} |\n`)
} finally {
  await cluster.remove()
}

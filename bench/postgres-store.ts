/**
 * What the PostgreSQL store carries beside plain COPY of the same bytes and beside SQLite, in one run, and how long an
 * event takes from its append on one node to a reader on another. The cluster, with fsync, is the caller's.
 */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EventOf, Store } from '@toolwire/core'
import { openPostgresStore, openSqliteStore } from '@toolwire/store'
import type { Cluster } from '../packages/store/test/postgres/cluster.ts'
import { createTestDatabase, type TestDatabase } from '../packages/store/test/postgres/test-database.ts'

const PER_APPEND = 5
const COPIED = 1000

const delta = (at: number): EventOf<'block.delta'> => ({
  type: 'block.delta',
  ts: new Date(at).toISOString(),
  run_id: '0b7d4c4e-7d0c-4a0e-9a52-55a2f4d3c001',
  turn: 1,
  block_id: 'msg_0123456789abcdef.0',
  offset: 0,
  text: 'a few words ',
})

export interface Throughput {
  readonly copy: number
  readonly postgres: number
  readonly sqlite: number
}

/** Events per second: COPY in transactions of 1,000 rows, the PostgreSQL store on one node, the SQLite store. */
export async function throughput(cluster: Cluster, seconds: number, sessions: number): Promise<Throughput> {
  const copy = await onDatabase(cluster, database => copyPlain(database, seconds))
  const postgres = await onDatabase(cluster, ({ url }) =>
    withStores(url, store => saturate(store, seconds, sessions)),
  )
  return { copy, postgres, sqlite: await saturateSqlite(seconds, sessions) }
}

/** Milliseconds from append to a reader on another node, at `rate` events per second in all. Throws at a gap. */
export function tailLatency(cluster: Cluster, rate: number, seconds: number): Promise<readonly number[]> {
  return onDatabase(cluster, ({ url }) => withStores(url, (a, b) => tail(a, b, { rate, seconds })))
}

export interface PausedCost {
  readonly sessions: number
  readonly bytesEach: number
  readonly heapBytesEach: number
}

/** What sessions that wait for an answer cost: bytes in the database, and memory of the node that made them. */
export function pausedCost(cluster: Cluster, sessions: number): Promise<PausedCost> {
  return onDatabase(cluster, ({ url }) =>
    withStores(url, async store => {
      const before = await store.stats()
      await pauseMany(store, 'warm', sessions)
      const heap = heapUsed()
      await pauseMany(store, 'more', sessions)
      const heapBytesEach = (heapUsed() - heap) / sessions
      const { bytes } = await store.stats()
      return { sessions, bytesEach: (bytes - before.bytes) / (2 * sessions), heapBytesEach }
    }),
  )
}

function heapUsed(): number {
  globalThis.gc?.()
  const { heapUsed: heap, external } = process.memoryUsage()
  return heap + external
}

async function pauseMany(store: Store, name: string, count: number): Promise<void> {
  const events = Array.from({ length: 8 }, () => delta(0))
  for (let from = 0; from < count; from += 500)
    await store.append(
      Array.from({ length: Math.min(500, count - from) }, (_, i) => ({
        session: `${name}-${from + i}`,
        create: true,
        events,
        state: 'paused' as const,
      })),
    )
}

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

/** Each session appends again as soon as its last append is stored. */
async function saturate(store: Store, seconds: number, count: number): Promise<number> {
  const sessions = await own(store, count)
  const events = Array.from({ length: PER_APPEND }, () => delta(0))
  const end = performance.now() + seconds * 1000
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
  return stored / seconds
}

interface Pace {
  readonly rate: number
  readonly seconds: number
}

async function tail(writer: Store, reader: Store, { rate, seconds }: Pace): Promise<readonly number[]> {
  const sessions = await own(writer, Math.min(200, rate))
  const times: number[] = []
  const places = new Map<string, number>()
  const reading = new Map<string, { again: boolean }>()
  async function pull(id: string): Promise<void> {
    const known = reading.get(id)
    if (known) {
      known.again = true
      return
    }
    const look = { again: true }
    reading.set(id, look)
    while (look.again) {
      look.again = false
      const seq = places.get(id) ?? 0
      const records = await reader.read(id, seq, 1000, { live: true })
      const now = Date.now()
      if (records[0] && records[0].seq !== seq + 1) throw new Error(`gap in ${id}`)
      places.set(id, records.at(-1)?.seq ?? seq)
      for (const { ev } of records) times.push(now - Date.parse(ev.ts))
    }
    reading.delete(id)
  }
  const stop = await reader.watch(session => {
    if (session !== '*') void pull(session)
  })
  await appendPaced(writer, sessions, { rate, seconds })
  await pause(1000)
  stop()
  return times
}

async function appendPaced(store: Store, sessions: readonly Owned[], { rate, seconds }: Pace): Promise<void> {
  const pauseMs = (sessions.length * 1000) / rate
  const end = performance.now() + seconds * 1000
  await Promise.all(
    sessions.map(async (session, i) => {
      await pause((pauseMs * i) / sessions.length)
      while (performance.now() < end) {
        const began = performance.now()
        session.w += 1
        const as = { epoch: session.epoch, w: session.w }
        await store.append([{ session: session.id, as, events: [delta(Date.now())] }])
        await pause(Math.max(0, pauseMs - (performance.now() - began)))
      }
    }),
  )
}

/** The same JSON into a table without keys, read by the server itself: what the disk alone allows. */
async function copyPlain(database: TestDatabase, seconds: number): Promise<number> {
  const dir = mkdtempSync(join(tmpdir(), 'toolwire-copy-'))
  try {
    const file = join(dir, 'rows')
    writeFileSync(file, `${JSON.stringify(delta(0))}\n`.repeat(COPIED))
    // The server runs as another user.
    chmodSync(dir, 0o755)
    await database.query('create table plain(data text)')
    const end = performance.now() + seconds * 1000
    let stored = 0
    while (performance.now() < end) {
      await database.query(`copy plain from '${file}'`)
      stored += COPIED
    }
    return stored / seconds
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

async function saturateSqlite(seconds: number, sessions: number): Promise<number> {
  const dir = mkdtempSync(join(tmpdir(), 'toolwire-bench-'))
  const store = await openSqliteStore({ dir })
  try {
    return await saturate(store, seconds, sessions)
  } finally {
    await store.close()
    rmSync(dir, { recursive: true, force: true })
  }
}

async function onDatabase<T>(cluster: Cluster, work: (database: TestDatabase) => Promise<T>): Promise<T> {
  const database = await createTestDatabase(`${cluster.url}/postgres`)
  try {
    return await work(database)
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

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))

/**
 * Throughput of the PostgreSQL store beside plain COPY of the same bytes and beside SQLite, in one run, and the
 * latency of an event from its append on one node to a reader on another. The cluster, with fsync, is the
 * caller's.
 */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '@toolwire/core'
import { openPostgresStore, openSqliteStore } from '@toolwire/store'
import type { Cluster } from '../packages/store/test/postgres/cluster.ts'
import { createTestDatabase, type TestDatabase } from '../packages/store/test/postgres/test-database.ts'
import { own, sampleDelta } from './postgres-sessions.ts'
import { measureTail, type Tail } from './postgres-tail.ts'

const PER_APPEND = 5
const COPIED = 1000

export interface Throughput {
  readonly copy: number
  readonly postgres: number
  readonly sqlite: number
}

/** Events per second: COPY in transactions of 1,000 rows, the PostgreSQL store on one node, the SQLite store. */
export async function throughput(cluster: Cluster, seconds: number, sessions: number): Promise<Throughput> {
  const copy = await onDatabase(cluster, database => copyPlain(database, seconds))
  const postgres = await onDatabase(cluster, ({ url }) =>
    withStore(url, store => saturate(store, seconds, sessions)),
  )
  return { copy, postgres, sqlite: await saturateSqlite(seconds, sessions) }
}

/** Latency to a reader on another node, at `rate` events per second in all. Throws at a gap. */
export function tailLatency(cluster: Cluster, rate: number, seconds: number): Promise<Tail> {
  return onDatabase(cluster, ({ url }) => withStore(url, store => measureTail(store, url, { rate, seconds })))
}

export interface PausedCost {
  readonly sessions: number
  readonly bytesEach: number
  readonly heapBytesEach: number
}

/** Cost of waiting sessions: bytes in the database, and memory of the node that made them. */
export function pausedCost(cluster: Cluster, sessions: number): Promise<PausedCost> {
  return onDatabase(cluster, ({ url }) =>
    withStore(url, async store => {
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
  const events = Array.from({ length: 8 }, () => sampleDelta(0))
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

/** Each session appends again as soon as its last append is stored. */
async function saturate(store: Store, seconds: number, count: number): Promise<number> {
  const sessions = await own(store, count)
  const events = Array.from({ length: PER_APPEND }, () => sampleDelta(0))
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

/** The same JSON into a table without keys, read by the server itself: what the disk alone allows. */
async function copyPlain(database: TestDatabase, seconds: number): Promise<number> {
  const dir = mkdtempSync(join(tmpdir(), 'toolwire-copy-'))
  try {
    const file = join(dir, 'rows')
    writeFileSync(file, `${JSON.stringify(sampleDelta(0))}\n`.repeat(COPIED))
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

async function withStore<T>(url: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openPostgresStore({ url })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

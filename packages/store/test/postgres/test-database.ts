/**
 * A separate database for each caller: on the server of DATABASE_URL, or on a cluster that the files of a run
 * share.
 */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'
import pg from 'pg'
import { readAddress } from './cluster.ts'

export interface TestDatabase {
  readonly url: string
  /** Runs SQL beside whatever the test does. */
  readonly query: (sql: string, values?: readonly unknown[]) => Promise<readonly Record<string, unknown>[]>
  /** Runs SQL in a transaction that stays open, with its locks, until the returned function ends it. */
  readonly hold: (sql: string) => Promise<() => Promise<void>>
  /** Cuts open connections off and removes the database. */
  readonly drop: () => Promise<void>
}

/** Empty, in UTF-8, on the server of `given` or on the shared one. The caller drops it. */
export async function createTestDatabase(given?: string): Promise<TestDatabase> {
  const server = given ?? (await serverUrl())
  const name = `toolwire_test_${randomUUID().replaceAll('-', '')}`
  await run(server, `create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return {
    url: url.href,
    query: (sql, values) => run(url.href, sql, values),
    hold: sql => hold(url.href, sql),
    drop: async () => {
      await run(server, `drop database if exists ${name} with (force)`)
    },
  }
}

async function run(
  url: string,
  sql: string,
  values: readonly unknown[] = [],
): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(sql, [...values])).rows
  } finally {
    await client.end()
  }
}

async function hold(url: string, sql: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  await client.query('begin')
  await client.query(sql)
  return () => client.end()
}

let shared: Promise<string> | undefined

/** An address with the database `postgres` in it. */
function serverUrl(): Promise<string> {
  const given = process.env['DATABASE_URL']
  if (given) return Promise.resolve(given)
  shared ??= sharedCluster()
  return shared
}

/** The first file of a run starts the keeper, the others wait for its address. */
async function sharedCluster(): Promise<string> {
  const run = isMainThread ? process.ppid : process.pid
  const dir = join(tmpdir(), `toolwire-postgres-${run}-${startOf(run)}`)
  if (tryMake(dir)) startKeeper(dir, run)
  for (;;) {
    const address = readAddress(join(dir, 'address'))
    if (address !== undefined) return `${address}/postgres`
    const failure = readAddress(join(dir, 'failure'))
    if (failure !== undefined) throw new Error(`The PostgreSQL of this test run did not start: ${failure}`)
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}

/** The time at which a process started, where the system reports it: process ids are used again. */
function startOf(pid: number): string {
  try {
    return (
      readFileSync(`/proc/${pid}/stat`, 'latin1')
        .replace(/^.*\) /s, '')
        .split(' ')[19] ?? ''
    )
  } catch {
    return ''
  }
}

function tryMake(dir: string): boolean {
  try {
    mkdirSync(dir)
    return true
  } catch {
    return false
  }
}

function startKeeper(dir: string, run: number): void {
  const program = fileURLToPath(new URL('./keep-cluster.ts', import.meta.url))
  const keeper = spawn(process.execPath, [program, dir, String(run)], { detached: true, stdio: 'ignore' })
  keeper.unref()
}

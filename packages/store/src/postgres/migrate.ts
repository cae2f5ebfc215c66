/** Brings a database to this program's schema, once, however many nodes start at the same time. */
import type { ClientBase } from 'pg'
import { StoreOpenError } from '../store-errors.ts'
import { MIGRATIONS, type Migration } from './migrations.ts'

/** PostgreSQL below this lacks what the statements rely on. */
const LEAST_SERVER = 150_000
/** An arbitrary unique number: nodes that start together migrate one after another. */
const LOCK = 0x746f6f6c

/**
 * Throws StoreOpenError: `store_unsupported` for an old or read-only server, `store_newer` for a
 * database that only later programs understand. `name` is the database as messages call it.
 */
export async function migrate(
  client: ClientBase,
  name: string,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  await checkServer(client, name)
  await client.query('begin')
  try {
    await client.query('select pg_advisory_xact_lock($1)', [LOCK])
    await upgrade(client, name, migrations)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

/** Throws StoreOpenError for a server that cannot hold sessions. */
export async function checkServer(client: ClientBase, name: string): Promise<void> {
  const { rows } = await client.query(
    `select current_setting('server_version_num')::int as version, current_setting('server_version') as label,
       pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'on' as unwritable,
       current_setting('server_encoding') as encoding`,
  )
  const [row] = rows as readonly {
    readonly version: number
    readonly label: string
    readonly standby: boolean
    readonly unwritable: boolean
    readonly encoding: string
  }[]
  if (!row) return
  if (row.version < LEAST_SERVER)
    throw new StoreOpenError(
      'store_unsupported',
      name,
      `PostgreSQL ${row.label} is too old; 15 or later is needed`,
    )
  if (row.standby)
    throw new StoreOpenError(
      'store_unsupported',
      name,
      'This server is a read-only standby; connect to the primary',
    )
  if (row.unwritable)
    throw new StoreOpenError(
      'store_unsupported',
      name,
      'The database takes no writes; connect to the primary',
    )
  if (row.encoding !== 'UTF8')
    throw new StoreOpenError(
      'store_unsupported',
      name,
      `The database has the encoding ${row.encoding}; UTF8 is needed`,
    )
}

async function upgrade(client: ClientBase, name: string, migrations: readonly Migration[]): Promise<void> {
  const found = await readVersion(client)
  const { version } = found
  refuseNewer(found, name, migrations)
  for (const migration of migrations.slice(version)) await client.query(migration.sql)
  if (version < migrations.length)
    await client.query('update toolwire.meta set version = $1, works_with = $2', [
      migrations.length,
      migrations.at(-1)?.worksWith ?? 0,
    ])
}

/** Throws StoreOpenError for a database that only later programs understand. */
export function refuseNewer(
  { version, worksWith }: Version,
  name: string,
  migrations: readonly Migration[],
): void {
  if (worksWith <= migrations.length) return
  throw new StoreOpenError(
    'store_newer',
    name,
    `The database has schema version ${version}, this program knows ${migrations.length}; use the newer program`,
  )
}

interface Version {
  readonly version: number
  readonly worksWith: number
}

/** Undefined before the first start. */
export async function readMadeVersion(client: ClientBase): Promise<Version | undefined> {
  const { rows: found } = await client.query("select to_regclass('toolwire.meta') is not null as made")
  if (found[0]?.['made'] !== true) return undefined
  const { rows } = await client.query('select version, works_with as "worksWith" from toolwire.meta')
  return rows[0] as Version
}

async function readVersion(client: ClientBase): Promise<Version> {
  const made = await readMadeVersion(client)
  if (made) return made
  await client.query(`create schema if not exists toolwire;
      create table toolwire.meta(version integer not null, works_with integer not null);
      insert into toolwire.meta values(0, 0)`)
  return { version: 0, worksWith: 0 }
}

/**
 * Identifies the history that the database holds. A promoted standby and a point-in-time recovery start a new
 * PostgreSQL timeline and may lack events that clients have seen; a restored dump is marked by `meta.restored_at`.
 */
import { type Connections, createConnections } from './connections.ts'
import { describeDatabase } from './describe-database.ts'
import { migrate } from './migrate.ts'

const READ = 'select restored_at from toolwire.meta'
/** The first eight digits of a log file's name are its timeline; it changes with a promotion at once. */
const TIMELINE = 'select left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline'
const FIRST_TIMELINE = '00000001'

/** Empty for data that were never restored, on a server that was never promoted. Throws what the driver throws. */
export async function readLineage({ readers }: Connections): Promise<string> {
  const { rows } = await readers.query(READ)
  const restored = (rows as readonly { readonly restored_at: number }[])[0]?.restored_at ?? 0
  const timeline = await readTimeline(readers)
  return restored === 0 && timeline === FIRST_TIMELINE ? '' : `${restored}-${timeline.replace(/^0+/, '')}`
}

/** Some hosted services forbid the query; they are treated as never promoted. */
async function readTimeline(pool: Connections['readers']): Promise<string> {
  try {
    const { rows } = await pool.query(TIMELINE)
    return String((rows as readonly { readonly timeline: string }[])[0]?.timeline ?? FIRST_TIMELINE)
  } catch (error) {
    const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
    if (!REFUSALS.has(code)) throw error
    return FIRST_TIMELINE
  }
}

/** Not allowed, no such function, not supported. */
const REFUSALS: ReadonlySet<string> = new Set(['42501', '42883', '0A000'])

/**
 * Marks the database as restored from a backup, so that cursors of the earlier history are rejected. Servers must
 * be stopped. Throws StoreOpenError or the driver's error.
 */
export async function renewPostgresLineage(url: string): Promise<void> {
  const connections = createConnections(url)
  try {
    const client = await connections.readers.connect()
    await migrate(client, describeDatabase(url)).finally(() => client.release())
    await connections.readers.query(
      'update toolwire.meta set restored_at = (extract(epoch from clock_timestamp()) * 1000)::bigint',
    )
  } finally {
    await connections.close()
  }
}

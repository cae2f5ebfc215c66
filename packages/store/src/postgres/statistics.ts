/**
 * Statistics of a database. Small tables are counted; of large ones the statistics of PostgreSQL are read, which
 * autovacuum keeps: no request scans all sessions.
 */
import type { StoreStats } from '@toolwire/core'
import type { Connections } from './connections.ts'

/** Rows up to which a table is counted. */
const COUNTED = 10_000

/** A partial index holds live sessions alone, so its estimate is theirs. */
const ESTIMATES = `select
  (select reltuples::bigint from pg_class where oid = 'toolwire.session_updated'::regclass) as sessions,
  (select reltuples::bigint from pg_class where oid = 'toolwire.chunk'::regclass) as rows,
  (select sum(pg_total_relation_size(c.oid))::bigint from pg_class c
   where c.relnamespace = 'toolwire'::regnamespace and c.relkind = 'r') as bytes`

export const COUNT_LIVE = `select count(*) as sessions, coalesce(sum(head), 0)::bigint as events from (
  select head from toolwire.session where deleted_at is null order by updated_at desc, id limit ${COUNTED + 1}) s`
const COUNT_ROWS = `select count(*) as rows from (select from toolwire.chunk limit ${COUNTED + 1}) c`
export const COUNT_ACTIVE = `select
  (select count(*) from toolwire.session where state = 'running' and deleted_at is null) as running,
  (select count(*) from toolwire.session where state = 'paused' and deleted_at is null) as paused`

interface Estimates {
  readonly sessions: number
  readonly rows: number
  readonly bytes: number
}

export async function readStats({ readers }: Connections): Promise<StoreStats> {
  const read = async <T>(sql: string): Promise<T> => (await readers.query(sql)).rows[0] as T
  const [estimates, live, chunks, active] = await Promise.all([
    read<Estimates>(ESTIMATES),
    read<{ readonly sessions: number; readonly events: number }>(COUNT_LIVE),
    read<{ readonly rows: number }>(COUNT_ROWS),
    read<{ readonly running: number; readonly paused: number }>(COUNT_ACTIVE),
  ])
  const isCounted = live.sessions <= COUNTED
  const sessions = isCounted ? live.sessions : Math.max(live.sessions, estimates.sessions)
  const rows = chunks.rows <= COUNTED ? chunks.rows : Math.max(chunks.rows, estimates.rows)
  const all = { idle: Math.max(0, sessions - active.running - active.paused), ...active }
  return {
    sessions,
    // Estimated from the latest sessions.
    events: isCounted ? live.events : Math.round((live.events / live.sessions) * sessions),
    rows,
    bytes: estimates.bytes,
    byState: Object.fromEntries(Object.entries(all).filter(([, count]) => count > 0)),
    ...(isCounted && chunks.rows <= COUNTED ? {} : { isEstimate: true }),
  }
}

/**
 * Heartbeat, take-over and due work in one statement. Whether an owner is alive is decided by the
 * database's clock alone, so that a node with a wrong clock neither steals nor keeps anything.
 */
import type { ClaimedSession, SessionLog } from '@toolwire/core'
import type { Connections } from './connections.ts'
import { toPgText } from './pg-text.ts'

type ClaimRequest = Parameters<SessionLog['claim']>[0]

const HEARTBEAT = `with me as (
  insert into toolwire.node as n(id, lease_until) values($1, clock_timestamp() + $2::float8 * interval '1 millisecond')
  on conflict (id) do update set lease_until = excluded.lease_until returning n.id
)`
const IS_DEAD = `(s.owner <> $1 and not exists (
  select from toolwire.node n where n.id = s.owner and n.lease_until > clock_timestamp()))`
const IS_FREE = `s.deleted_at is null and (s.owner is null or ${IS_DEAD})`
/** Our own, and we do not know of it: the answer that gave it to us was lost. */
const IS_LOST = '(s.owner = $1 and s.id <> all($5::text[]))'
const NOW = '(select coalesce($3::bigint, (extract(epoch from clock_timestamp()) * 1000)::bigint))'
const TAKE = `update toolwire.session x set owner = me.id, epoch = x.epoch + 1, wseq = 0, whead = 0, state = 'running',
  wake_at = case when x.wake_at <= ${NOW} then null else x.wake_at end
from picked, me where x.num = picked.num returning x.id as session, x.epoch, x.head, picked.place`

/**
 * The epoch must be unchanged: a node that claimed the session meanwhile also renewed its lease, which an earlier
 * statement cannot see and would take for expired. Waits for writes in flight: an input that is being appended
 * must not hide its session.
 */
const BY_NAME = `${HEARTBEAT}, seen as materialized (
  select num, epoch from toolwire.session where id = $4
), picked as materialized (
  select s.num, 0::bigint as place from toolwire.session s join seen on seen.num = s.num and seen.epoch = s.epoch
  where $5 > 0 and ${IS_FREE} for no key update of s
) ${TAKE}`
/** Skips what another node has its hand on: it is taken by that one, or found by the next heartbeat. */
export const BY_NEED = `${HEARTBEAT}, seen as materialized (
  select num, epoch from toolwire.session where state = 'running'
  union select num, epoch from toolwire.session where wake_at <= ${NOW}
), chosen as materialized (
  select s.num, s.updated_at, s.id from toolwire.session s join seen on seen.num = s.num and seen.epoch = s.epoch
  where s.deleted_at is null and (s.owner is null or ${IS_DEAD} or ${IS_LOST})
  order by s.updated_at, s.id limit $4 for no key update of s skip locked
), picked as materialized (
  select num, row_number() over (order by updated_at, id) as place from chosen
) ${TAKE}`

/** Throws what the driver throws: a heartbeat that cannot be made must be known to its node at once. */
export async function claimSessions(
  connections: Connections,
  request: ClaimRequest,
  now: number | null,
): Promise<readonly ClaimedSession[]> {
  const { node, ttlMs, max, session, known } = request
  const first = [toPgText(node), ttlMs, now]
  const query =
    session === undefined
      ? {
          name: connections.named('toolwire-claim'),
          text: BY_NEED,
          values: [...first, max, known?.map(toPgText) ?? null],
        }
      : {
          name: connections.named('toolwire-claim-one'),
          text: BY_NAME,
          values: [...first, toPgText(session), max],
        }
  const { rows } = await connections.side.query(query)
  const found = rows as readonly (ClaimedSession & { readonly place: number })[]
  return found
    .toSorted((a, b) => a.place - b.place)
    .map(({ session: id, epoch, head }) => ({ session: id, epoch, head }))
}

/** Throws what the driver throws. */
export async function isLeaseExpired(connections: Connections, node: string): Promise<boolean> {
  const { rows } = await connections.side.query({
    name: connections.named('toolwire-has-left'),
    text: 'select from toolwire.node where id = $1 and lease_until <= clock_timestamp()',
    values: [toPgText(node)],
  })
  return rows.length > 0
}

/** Throws what the driver throws. */
export async function hasLiveNode(connections: Connections): Promise<boolean> {
  const { rows } = await connections.side.query({
    name: connections.named('toolwire-has-live-node'),
    text: 'select from toolwire.node where lease_until > clock_timestamp() limit 1',
  })
  return rows.length > 0
}

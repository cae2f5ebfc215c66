/** Removing and pruning: what operators do with a database. */
import type { Connections } from './connections.ts'
import { lockSession } from './fold.ts'
import { toPgText } from './pg-text.ts'

/** Removed only while this holds; compared again under the lock. */
export interface RemoveOnly {
  readonly idleBefore: number
}

/** Deletes everything of a session but its id. False when there is no such session, or `only` does not hold. */
export async function removeSession(
  connections: Connections,
  id: string,
  now: number | null,
  only?: RemoveOnly,
): Promise<boolean> {
  const client = await connections.readers.connect()
  let failure: Error | undefined
  try {
    const { rows } = await client.query(
      'select num from toolwire.session where id = $1 and deleted_at is null',
      [toPgText(id)],
    )
    const num = (rows as readonly { readonly num: number }[])[0]?.num
    if (num === undefined) return false
    await client.query('begin')
    await lockSession(client, num)
    const { rowCount } = await client.query(
      `update toolwire.session set deleted_at = coalesce($2::bigint, (extract(epoch from clock_timestamp()) * 1000)::bigint),
         owner = null, state = 'idle', title = null, labels = '{}', wake_at = null, epoch = epoch + 1
       where num = $1 and deleted_at is null and ($3::bigint is null or (state = 'idle' and updated_at < $3))`,
      [num, now, only?.idleBefore ?? null],
    )
    // The row is ours now and nothing can be appended any more, so these see everything there is.
    if (rowCount === 1)
      for (const table of ['chunk', 'input_key', 'search_doc'])
        await client.query(`delete from toolwire.${table} where session = $1`, [num])
    await client.query('commit')
    return rowCount === 1
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error))
    throw failure
  } finally {
    client.release(failure)
  }
}

export const FIND_OLD = `select id from toolwire.session where state = 'idle' and deleted_at is null and updated_at < $1
  order by updated_at limit $2`
export const COUNT_OLD =
  "select count(*) as count from toolwire.session where state = 'idle' and deleted_at is null and updated_at < $1"

/** Ids of idle sessions, last updated before `before`. */
export async function findOld(
  connections: Connections,
  before: number,
  limit: number,
): Promise<readonly string[]> {
  const { rows } = await connections.readers.query(FIND_OLD, [before, limit])
  return (rows as readonly { readonly id: string }[]).map(row => row.id)
}

export async function countOld(connections: Connections, before: number): Promise<number> {
  const { rows } = await connections.readers.query(COUNT_OLD, [before])
  return (rows as readonly { readonly count: number }[])[0]?.count ?? 0
}

/**
 * Finds single sessions by id: lookups that arrive while a statement is in flight share the next one, so that
 * thousands of returning clients wait for a few statements.
 */
import type { SessionRow } from '@toolwire/core'
import type { Connections } from './connections.ts'
import { listSessions } from './list-sessions.ts'
import { toPgText } from './pg-text.ts'
import type { RetryFunction } from './retry.ts'

export interface RowFinder {
  /** The session as committed after the call; undefined if it does not exist. Rejects like any statement. */
  readonly find: (id: string) => Promise<SessionRow | undefined>
}

type RowsById = ReadonlyMap<string, SessionRow>

/** Ids in one statement. */
const MOST = 1000

export function createRowFinder(connections: Connections, patiently: RetryFunction): RowFinder {
  let next: { readonly ids: Set<string>; readonly found: Promise<RowsById> } | undefined
  let last: Promise<unknown> = Promise.resolve()

  async function look(ids: ReadonlySet<string>): Promise<RowsById> {
    const { items } = await patiently(() => listSessions(connections, { ids: [...ids], limit: ids.size }))
    return new Map(items.map(row => [row.id, row]))
  }
  function begin(): { readonly ids: Set<string>; readonly found: Promise<RowsById> } {
    const ids = new Set<string>()
    const before = last
    const turn = new Promise<void>(resolve => setImmediate(resolve))
    const found = Promise.all([before, turn]).then(() => {
      if (next?.ids === ids) next = undefined
      return look(ids)
    })
    last = found.catch(() => {})
    return { ids, found }
  }
  return {
    async find(id) {
      const key = toPgText(id)
      if (next === undefined || next.ids.size >= MOST) next = begin()
      next.ids.add(key)
      return (await next.found).get(key)
    },
  }
}

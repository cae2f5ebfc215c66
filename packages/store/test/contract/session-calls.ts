/** Short forms of the calls that the contract makes most. */
import type { Append, AppendResult, Rec, SessionRow, Store } from '@toolwire/core'
import { note } from '../events.ts'

/** The store of the current test. */
export type Get = () => Store

/** Appends one write and returns its answer. */
export async function appendOne(store: Store, write: Append): Promise<AppendResult> {
  const [answer] = await store.append([write])
  if (!answer) throw new Error('an append must be answered')
  return answer
}
/** Creates a session with one event, or with what `more` says. */
export const create = (store: Store, session: string, more: Partial<Append> = {}): Promise<AppendResult> =>
  appendOne(store, { session, create: true, events: [note(`${session} made`)], ...more })
/** Identifies the events of these tests. */
export const values = (records: readonly Rec[]): readonly unknown[] =>
  records.map(({ ev }) => (ev.type === 'note' ? ev.value : ev.type === 'block.delta' ? ev.text : ev.type))
/** The session's row, or undefined when it is not listed. */
export async function rowOf(store: Store, id: string): Promise<SessionRow | undefined> {
  return (await store.list({ ids: [id], limit: 1 })).items[0]
}
/** Claims the session by name and returns its epoch; throws when it cannot be had. */
export const claimOne = async (store: Store, session: string, node = 'n'): Promise<number> => {
  const [claimed] = await store.claim({ node, ttlMs: 10_000, max: 1, session })
  if (!claimed) throw new Error(`${session} could not be claimed`)
  return claimed.epoch
}
/** Ids of the sessions that the list returns, in its order. */
export const idsOf = async (
  store: Store,
  query: Partial<Parameters<Store['list']>[0]>,
): Promise<readonly string[]> => (await store.list({ limit: 100, ...query })).items.map(row => row.id)

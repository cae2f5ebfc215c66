/**
 * The position of a page's message in a session with branches. A page sends its whole list; only the ids of its user
 * messages are compared with the log. Pure.
 */
import {
  AppError,
  allExchanges,
  branchPath,
  type HiddenExchange,
  MAIN_BRANCH,
  type QueuedMessage,
  type Seq,
  type SessionState,
} from '@toolwire/core'

export type MessageLocation =
  /** Behind the newest message. */
  | { readonly type: 'append' }
  /** In place of this one: the page no longer shows what followed. */
  | { readonly type: 'replace'; readonly message_id: string }
  /** Behind the newest message of another branch. */
  | { readonly type: 'continue'; readonly branch_id: string }

const STALE =
  'messages: the list is neither the conversation nor the beginning of it. Load the messages again, then send.'

export interface SentList {
  /** Ids of the user messages before the new one. */
  readonly earlier: readonly string[]
  /** The page sends all that it shows: a list of new messages alone is an edit of the first one. */
  readonly isWhole: boolean
}

/** Throws `conflict` for a list that fits no branch. */
export function locateMessage(state: SessionState, { earlier, isWhole }: SentList): MessageLocation {
  const all = allExchanges(state)
  const list = knownIds(state, earlier)
  const last = list.at(-1)
  const shown = all.filter(branchPath(state.branches))
  if (last === undefined) {
    const root = isWhole ? shown[0]?.message_id : undefined
    return root === undefined ? { type: 'append' } : { type: 'replace', message_id: root }
  }
  const newest = shown.at(-1)
  if ((newest && idOf(newest) === last) || state.queue.some(queued => queuedId(queued) === last))
    return { type: 'append' }
  const next = shown[list.length]
  if (next?.message_id !== undefined && isPrefix(list, shown))
    return { type: 'replace', message_id: next.message_id }
  const branches = [MAIN_BRANCH, ...(state.branches?.opened ?? []).map(branch => branch.branch_id)]
  const other = branches.find(id => {
    const path = all.filter(branchPath(state.branches, id))
    return path.length === list.length && isPrefix(list, path)
  })
  if (other === undefined) throw new AppError('conflict', STALE)
  return { type: 'continue', branch_id: other }
}

/** Those of the ids that the session has. */
export function knownIds(state: SessionState, ids: readonly string[]): readonly string[] {
  const known = new Set([...allExchanges(state).map(idOf), ...state.queue.map(queuedId)])
  return ids.filter(id => known.has(id))
}

const isPrefix = (ids: readonly string[], path: readonly HiddenExchange[]): boolean =>
  ids.every((id, at) => path[at] !== undefined && idOf(path[at]) === id)

const idOf = ({ client_message_id, message_id }: HiddenExchange): string =>
  client_message_id ?? message_id ?? ''

const queuedId = ({ event }: QueuedMessage): string => event.client_message_id ?? event.message_id

/** A message that the session has: the seq of its event, and its exchange once its run has started. */
export interface KnownMessage {
  readonly seq: Seq
  readonly exchange?: HiddenExchange
}

/** The message of this id: the shown version, one that waits, or one of another branch. */
export function findMessage(state: SessionState, id: string): KnownMessage | undefined {
  const all = allExchanges(state)
  const isMine = (exchange: HiddenExchange): boolean =>
    exchange.client_message_id === id || exchange.message_id === id
  const queued = state.queue.findLast(
    ({ event }) => event.client_message_id === id || event.message_id === id,
  )
  if (queued) return { seq: queued.seq }
  const exchange = all.filter(branchPath(state.branches)).findLast(isMine) ?? all.findLast(isMine)
  return exchange?.input === undefined ? undefined : { seq: exchange.input, exchange }
}

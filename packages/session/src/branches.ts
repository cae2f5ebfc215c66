/** Another version of a message, as an input: the branch opens when its run starts. */
import {
  AppError,
  activeBranch,
  allExchanges,
  branchPath,
  type ContentPart,
  type EventOf,
  type HiddenExchange,
  hasBranch,
  type Seq,
  type SessionEvent,
  type SessionState,
} from '@toolwire/core'
import { draftMessage } from './messages.ts'
import { isSameInput } from './same-input.ts'
import type { Sessions } from './sessions.ts'

/** Branches of a session, without the main one. */
const MAX_BRANCHES = 1000

/** An exchange that a branch replaces, and what else is not part of that branch. */
export interface ReplacedPart {
  readonly exchange: HiddenExchange
  /** The exchange, and those after it as they are shown. */
  readonly replaced: readonly HiddenExchange[]
  /** Every exchange that the new branch leaves out, also those of other branches. */
  readonly left: readonly HiddenExchange[]
}

/**
 * The exchange of a message: its user message, by our id or the client's, or one of its answers. The latest one of the
 * active branch without an id. Throws `message_not_found`.
 */
export function findReplaced(state: SessionState, message_id: string | undefined): ReplacedPart {
  const all = allExchanges(state)
  const isActive = branchPath(state.branches)
  const shown = all.filter(isActive)
  const exchange =
    message_id === undefined ? shown.at(-1) : (findLast(shown, message_id) ?? findLast(all, message_id))
  if (exchange?.input === undefined) throw new AppError('message_not_found')
  const isOfPath = branchPath(state.branches, exchange.branch)
  const isShared = (one: HiddenExchange): boolean => isOfPath(one) && one.seq < exchange.seq
  const siblings = isActive(exchange) ? shown : all.filter(isOfPath)
  return {
    exchange,
    replaced: siblings.filter(one => one.seq >= exchange.seq),
    left: all.filter(one => !isShared(one)),
  }
}

const findLast = (exchanges: readonly HiddenExchange[], id: string): HiddenExchange | undefined =>
  exchanges.findLast(
    ({ message_id, client_message_id, conversation_id, messages }) =>
      message_id === id ||
      conversation_id === id ||
      client_message_id === id ||
      messages.some(message => message.role === 'assistant' && message.message_id === id),
  )

export type BranchedMessage = Partial<
  Omit<EventOf<'input.message'>, 'type' | 'ts' | 'run_id' | 'message_id' | 'branch' | 'content'>
> & {
  /** In place of the original content; the same when absent. */
  readonly content?: readonly ContentPart[]
  /** For the model: effects that remain of the part that is left. */
  readonly note?: string
}

export interface BranchIds {
  readonly branch_id: string
  readonly message_id: string
  readonly run_id: string
}

export interface OpenedBranch extends BranchIds {
  readonly seq: Seq
}

/** A message that opened, or will open, this branch; undefined without one. Throws `conflict` if its content is another one. */
export async function findOpened(
  sessions: Pick<Sessions, 'state' | 'reader'>,
  session: string,
  { branch_id }: Pick<BranchIds, 'branch_id'>,
  content: readonly ContentPart[] | undefined,
): Promise<OpenedBranch | undefined> {
  const state = await sessions.state(session)
  const queued = state.queue.find(({ event }) => event.branch?.branch_id === branch_id)
  const seq = queued?.seq ?? allExchanges(state).find(one => one.branch === branch_id)?.input
  if (seq === undefined) return undefined
  const [rec] = await sessions.reader.read(session, seq - 1, 1)
  if (rec?.ev.type !== 'input.message') return undefined
  const { message_id, run_id = '', branch, content: recorded } = rec.ev
  const isSame = content ? isSameInput(recorded, content) : branch?.reason === 'regenerate'
  if (!isSame) throw new AppError('conflict', 'This Idempotency-Key was used for another branch.')
  return { branch_id, message_id, run_id, seq }
}

export interface BranchDraft {
  readonly session: string
  readonly part: ReplacedPart
  readonly message: BranchedMessage
  readonly ids: BranchIds
  /** Ends the run in progress first. */
  readonly interrupts: boolean
  /** Labels that no longer fit the session. */
  readonly labels?: Readonly<Record<string, null>>
  /** Agents in the background to stop. */
  readonly stops?: readonly string[]
}

/** Throws `limit_reached`. */
export async function appendBranch(
  sessions: Pick<Sessions, 'append' | 'facts' | 'now' | 'reader'>,
  draft: BranchDraft,
): Promise<OpenedBranch> {
  const { session, part, message, ids } = draft
  const facts = await sessions.facts(session)
  if ((facts.branches?.opened.length ?? 0) >= MAX_BRANCHES)
    throw new AppError('limit_reached', `A session has at most ${MAX_BRANCHES} branches.`)
  const [rec] = await sessions.reader.read(session, (part.exchange.input ?? 1) - 1, 1)
  if (rec?.ev.type !== 'input.message') throw new AppError('message_not_found')
  const ts = sessions.now().toISOString()
  const event = toMessage(rec.ev, draft, ts)
  const { writes } = draftMessage(session, event, facts)
  const keyed = writes.map(write => ({
    ...write,
    key: `branch:${ids.branch_id}`,
    index: { ...write.index, ...(draft.labels ? { labels: draft.labels } : {}) },
  }))
  const reason = message.content ? 'replaced by an edit' : 'replaced by another answer'
  const cancel = { type: 'input.cancel', ts, reason, by: 'client' } as const
  const cancels: readonly SessionEvent[] = [
    ...(draft.interrupts ? [{ ...cancel, run_id: ids.run_id, by_message: ids.message_id }] : []),
    ...(draft.stops ?? []).map(agent_run_id => ({ ...cancel, agent_run_id })),
  ]
  const cancelling = cancels.length > 0 ? [{ session, events: cancels, state: 'running' } as const] : []
  const { items } = await sessions.append({ writes: [...cancelling, ...keyed], wakes: true })
  return { ...ids, seq: items.at(-1)?.seq ?? 0 }
}

function toMessage(
  original: EventOf<'input.message'>,
  { part, message, ids, interrupts }: BranchDraft,
  ts: string,
): EventOf<'input.message'> {
  const { notifies: _, agent_run_id: __, branch: ___, ...before } = original
  const { note, content, ...changes } = message
  const { branch_id, message_id, run_id } = ids
  return {
    ...before,
    ...changes,
    ts,
    run_id,
    message_id,
    content: [...(content ?? contentOf(part.exchange, original))],
    if_paused: 'supersede',
    when_running: interrupts ? 'interrupt' : 'queue',
    branch: {
      branch_id,
      parent_branch_id: part.exchange.branch,
      after_seq: part.exchange.seq - 1,
      reason: content ? 'edit' : 'regenerate',
      replaces: original.message_id,
      ...(note === undefined ? {} : { note }),
    },
  }
}

/** Everything that the user wrote in the exchange, as it was delivered: another answer gets it from the start. */
function contentOf({ messages }: HiddenExchange, original: EventOf<'input.message'>): readonly ContentPart[] {
  const written = messages.flatMap(message => (message.role === 'user' ? message.content : []))
  return written.length > 0 ? written : original.content
}

/** Continues another branch. Throws `branch_not_found` and, while a run has not ended, `session_running`. */
export async function selectBranchOf(
  sessions: Pick<Sessions, 'append' | 'facts' | 'now'>,
  { session, branch_id, by }: { readonly session: string; readonly branch_id: string; readonly by: string },
  labels: Readonly<Record<string, null>>,
): Promise<void> {
  const facts = await sessions.facts(session)
  if (!hasBranch(facts.branches, branch_id)) throw new AppError('branch_not_found')
  if (activeBranch(facts.branches) === branch_id) return
  if (facts.isStarted || facts.open.length > 0) throw new AppError('session_running')
  const event = { type: 'branch.selected', ts: sessions.now().toISOString(), branch_id, by } as const
  await sessions.append({ writes: [{ session, events: [event], index: { labels } }], wakes: false })
  // A run that started in between keeps its branch.
  if (activeBranch((await sessions.facts(session)).branches) !== branch_id)
    throw new AppError('session_running')
}

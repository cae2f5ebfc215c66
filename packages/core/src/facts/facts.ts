/**
 * The compact state of a session: its status, what waits for an answer, and its description. Holds no message
 * text, so it is small enough to keep for many sessions. Plain data: it survives a JSON round trip.
 */
import type { BranchPoint, BranchTree } from '../branches/branch-tree.ts'
import type { Effort } from '../effort.ts'
import type { EventOf, PendingItem, Seq } from '../event.ts'

export interface Facts {
  readonly session?: SessionFacts
  /** Messages that started a run. */
  readonly conversations: number
  /** The latest conversation. */
  readonly conversation_id?: string
  /** The error of the latest run. */
  readonly error?: { readonly code: string; readonly message: string }
  /** The latest run of the session itself is paused. */
  readonly isPaused: boolean
  /** A run of the session itself has started and not ended; it may be paused. */
  readonly isStarted: boolean
  /** Absent until the first branch is opened. */
  readonly branches?: BranchTree
  /** Background agents whose ends were not reported, by id: the points at which they were started. */
  readonly unreported: Readonly<Record<string, BranchPoint>>
  /** Ids of queued and running runs, and of background agents that are not idle. */
  readonly open: readonly string[]
  /** Items of each latest pause: the session's under '', those of background agents under their ids. */
  readonly pauses: Readonly<Record<string, readonly PauseItem[]>>
  /** Ids of calls and approvals that were answered and not yet settled. */
  readonly answered: readonly string[]
  readonly isCancelled: boolean
  /** Agents that outlive the run, and agents that work for them. */
  readonly background: readonly BackgroundAgent[]
  /** Background agents by the call that started them. */
  readonly launched: Readonly<Record<string, string>>
  /** Open calls and approvals, in the order in which they were made. */
  readonly calls: readonly CallFact[]
  readonly approvals: readonly ApprovalFact[]
  /** The latest calls and approvals that ended. */
  readonly ended: EndedFacts
  /** The environment as last announced: by the session, or by the engine that was bound to it. */
  readonly environment?: Environment
  /** Messages of users that no model has received, in the order of the queue. */
  readonly waiting: readonly WaitingMessage[]
  /** The latest messages that waited and were delivered or withdrawn. */
  readonly settled: readonly SettledMessage[]
  /** The latest run of the session itself, until it ends; it may be paused. */
  readonly run_id?: string
  /** Message ids of messages whose runs have not ended, by run id. */
  readonly queued: Readonly<Record<string, string>>
  /** The latest conversations of the session itself. */
  readonly starts: readonly ConversationStart[]
  /** Seq of the latest run with client tools. */
  readonly toolsAt?: Seq
}

/** A position from which a projection can start: the first record of a conversation, and the facts before it. */
export interface ConversationStart {
  readonly seq: Seq
  readonly conversation_id: string
  readonly run_id?: string
  readonly provider_session_id: string | null
  readonly before: Pick<
    Facts,
    'environment' | 'queued' | 'pauses' | 'answered' | 'isCancelled' | 'background' | 'open'
  >
}

interface Environment {
  readonly cwd: string
  readonly tools: readonly string[]
  readonly model: string
  readonly permission_mode: string
}

interface SessionFacts {
  readonly cwd: string
  readonly tools: readonly string[]
  readonly model: string
  readonly title?: string
  readonly permission_mode: string
  readonly effort?: Effort
  readonly provider_session_id: string | null
}

type PauseItem = Pick<PendingItem, 'id' | 'call_id'>

interface BackgroundAgent {
  readonly id: string
  /** Started in the background itself, not by another background agent. */
  readonly isRoot: boolean
}

export interface WaitingMessage {
  readonly message_id: string
  readonly run_id: string
  readonly seq: Seq
  /** Seq of the event with its latest content. */
  readonly contentAt: Seq
  /** Characters of its latest content. */
  readonly size: number
  readonly when_running: 'queue' | 'steer' | 'interrupt'
  readonly revision: number
  /** It waits for a next message, or for the queue to be resumed. */
  readonly isHeld: boolean
}

export interface SettledMessage {
  readonly message_id: string
  /** Seq of the event that settled it. */
  readonly seq: Seq
  /** The run that delivers it; absent when it was withdrawn. */
  readonly run_id?: string
  /** The latest change that was in time. */
  readonly revision: number
}

export interface CallFact {
  readonly call_id: string
  readonly name: string
  readonly message_id: string
  readonly agent_run_id?: string
  readonly input_text: string
  /** The client was asked to run it. */
  readonly isAsked: boolean
  /** Seq of its output. */
  readonly answeredAt?: Seq
}

export interface ApprovalFact {
  readonly approval_id: string
  readonly call_id: string
  readonly agent_run_id?: string
  readonly request: EventOf<'tool.approval_requested'>
  /** Seq of the first answer. */
  readonly answeredAt?: Seq
}

/** A call without its arguments, which may be large. */
export type EndedCall = Omit<CallFact, 'input_text'>

export interface EndedApproval extends Omit<ApprovalFact, 'request'> {
  readonly kind?: 'approval' | 'question'
  readonly decision?: string
  readonly reason?: string
}

interface EndedFacts {
  readonly calls: readonly EndedCall[]
  readonly approvals: readonly EndedApproval[]
  /** Earlier ones were dropped: only the log knows them. */
  readonly isTruncated: boolean
}

export const NO_FACTS: Facts = {
  conversations: 0,
  isPaused: false,
  isStarted: false,
  unreported: {},
  open: [],
  pauses: {},
  answered: [],
  isCancelled: false,
  background: [],
  launched: {},
  calls: [],
  approvals: [],
  ended: { calls: [], approvals: [], isTruncated: false },
  waiting: [],
  settled: [],
  queued: {},
  starts: [],
}

/** True while something runs, is queued, or was answered and is about to be resumed. */
export const isBusy = (facts: Facts): boolean => facts.open.length > 0 || isResuming(facts)

/** True if a pause waits for something that is already answered: a run resumes it at once. */
export function isResuming({ pauses, answered, isCancelled }: Facts): boolean {
  const isAnswered = (item: PauseItem): boolean =>
    answered.includes(item.id) || answered.includes(item.call_id)
  return Object.values(pauses).some(items => items.length > 0 && (isCancelled || items.some(isAnswered)))
}

export function statusOf(facts: Facts): 'idle' | 'running' | 'paused' | 'failed' {
  if (isBusy(facts)) return 'running'
  if (facts.isPaused || pendingOf(facts).length > 0) return 'paused'
  return facts.error ? 'failed' : 'idle'
}

/** Items that wait for an external answer: approvals and questions, then client tools, each in the order asked. */
export function pendingOf({ approvals, calls }: Facts): readonly PendingItem[] {
  const inputOf = (id: string): string => calls.find(call => call.call_id === id)?.input_text ?? ''
  return [
    ...approvals
      .filter(approval => approval.answeredAt === undefined)
      .map(approval => toApprovalItem(approval, inputOf(approval.call_id))),
    ...calls.filter(call => call.isAsked && call.answeredAt === undefined).map(toClientItem),
  ]
}

const toApprovalItem = (fact: ApprovalFact, input_text: string): PendingItem => {
  const { kind, name, message, schema, url } = fact.request
  return {
    kind: kind === 'question' ? 'question' : 'approval',
    id: fact.approval_id,
    call_id: fact.call_id,
    name,
    input_text,
    ...(message === undefined ? {} : { message }),
    ...(schema === undefined ? {} : { schema }),
    ...(url === undefined ? {} : { url }),
    ...agentOf(fact),
  }
}

const toClientItem = (call: CallFact): PendingItem => ({
  kind: 'client_tool',
  id: call.call_id,
  call_id: call.call_id,
  name: call.name,
  input_text: call.input_text,
  ...agentOf(call),
})

const agentOf = ({ agent_run_id }: { readonly agent_run_id?: string }) =>
  agent_run_id === undefined ? {} : { agent_run_id }

/** A message that waits, or one of the latest that waited. */
export const findQueued = (facts: Facts, id: string): WaitingMessage | SettledMessage | undefined =>
  facts.waiting.find(one => one.message_id === id) ?? facts.settled.find(one => one.message_id === id)

/** A call, open or ended; undefined for an unknown one, and for one that was dropped (`ended.isTruncated`). */
export function findCall(facts: Facts, id: string): (EndedCall & { readonly isEnded: boolean }) | undefined {
  const open = facts.calls.find(call => call.call_id === id)
  if (open) return { ...open, isEnded: false }
  const ended = facts.ended.calls.find(call => call.call_id === id)
  return ended && { ...ended, isEnded: true }
}

/** An approval, open or settled; see `findCall`. */
export const findApproval = (facts: Facts, id: string): ApprovalFact | EndedApproval | undefined =>
  facts.approvals.find(fact => fact.approval_id === id) ??
  facts.ended.approvals.find(fact => fact.approval_id === id)

/** The latest approval of a call, open or settled. */
export const findApprovalOf = (facts: Facts, callId: string): ApprovalFact | EndedApproval | undefined =>
  facts.approvals.findLast(fact => fact.call_id === callId) ??
  facts.ended.approvals.findLast(fact => fact.call_id === callId)

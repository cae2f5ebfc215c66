/**
 * The view of a session: plain data, a fold of its log (see apply.ts), never edited by hand. Items live in tables
 * by id and refer to each other by id, so that a change touches one row and unchanged rows keep their identity.
 * Times are milliseconds since 1970.
 */
import type { BranchPoint, BranchTree } from '../branches/branch-tree.ts'
import type {
  BlockKind,
  ContentPart,
  Failure,
  Finish,
  PauseReason,
  ToolFailure,
  ToolLayer,
  ToolSpec,
  ToolView,
  Usage,
} from '../event.ts'
import { NO_USAGE } from '../no-usage.ts'
import type { ArgsPeek } from './peek-args.ts'
import { Table } from './table.ts'

/** Exactly one of these at any time; the last six are final. */
export type ToolState =
  | 'building'
  | 'queued'
  | 'awaiting_approval'
  | 'awaiting_client'
  | 'executing'
  | 'cancelling'
  | 'success'
  | 'failed'
  | 'denied'
  | 'cancelled'
  | 'expired'
  | 'lost'

export interface SessionView {
  /** Seq of the last record taken in. */
  readonly head: number
  readonly info: SessionInfo
  readonly phase: 'idle' | 'running' | 'paused'
  /** The reason of the pause; absent otherwise. */
  readonly pause?: { readonly reason: PauseReason; readonly expires_at?: number }
  /** A cancel was asked for and the run has not ended yet. */
  readonly cancelling: boolean
  /** Exchanges of the active branch, oldest first. */
  readonly turns: readonly TurnView[]
  /** Absent until the first branch is opened. */
  readonly branches?: BranchTree
  /** Exchanges of other branches, oldest first. */
  readonly hidden?: readonly TurnView[]
  readonly messages: Table<MessageView>
  readonly blocks: Table<BlockView>
  readonly calls: Table<CallView>
  readonly agents: Table<AgentView>
  /** Ids of calls that have not ended, in order of appearance. */
  readonly active: readonly string[]
  /** Pending items, oldest first. */
  readonly pending: readonly PendingView[]
  /** Sent messages that no run has started with. */
  readonly queue: readonly MessageView[]
  /** All exchanges together. */
  readonly stats: Stats
  /** All exchanges but the latest: a long session pays the same for a sum as a short one. */
  readonly earlier_stats: Stats
  /** Tokens of the root agent's latest model request with its answer: the filling of the context. */
  readonly context?: { readonly tokens: number; readonly model: string }
  /** Todos and other notes of tools, the latest value per name. */
  readonly notes: Readonly<Record<string, unknown>>
}

export interface SessionInfo {
  readonly title?: string
  readonly model: string
  readonly permission_mode: string
  /** Effort of thinking that models are asked for; the server's default when absent. */
  readonly effort?: string
  readonly cwd: string
  readonly tools: readonly string[]
  readonly created_at?: number
  readonly provider_session_id?: string
  readonly forked_from?: { readonly session_id: string; readonly seq: number }
}

/** One exchange: what was asked, and everything that was done about it, over all its pauses. */
export interface TurnView {
  /** The conversation id. */
  readonly id: string
  /** Seq of the start of its first run. */
  readonly seq: number
  readonly branch: string
  /** Its runs, oldest first: one more after each pause. */
  readonly runs: readonly string[]
  readonly state: 'running' | 'paused' | 'completed' | 'failed' | 'cancelled'
  /** Ids of messages, the question first. */
  readonly messages: readonly string[]
  readonly client_tools: readonly ToolSpec[]
  readonly model: string
  readonly started_at: number
  readonly ended_at?: number
  /** Start of the current run. */
  readonly run_started_at: number
  /** Above 1 while a model request is being repeated. */
  readonly attempt: number
  readonly stats: Stats
  readonly outcome?: { readonly status: string; readonly finish: Finish }
  readonly error?: Failure
  readonly cancel_reason?: string
  /** Notes that it left behind and that belong to its branch. */
  readonly notes?: Readonly<Record<string, unknown>>
}

export interface MessageView {
  readonly id: string
  readonly role: 'user' | 'system' | 'assistant'
  readonly state: 'queued' | 'streaming' | 'complete' | 'aborted'
  /** Seq of the record that began it: where a fork before it would cut. */
  readonly seq: number
  readonly run_id?: string
  /** Handling of the run that a queued message met; it waits for the end of the run when absent. */
  readonly when_running?: 'queue' | 'steer' | 'interrupt'
  /** Number of changes of a queued message. */
  readonly revision?: number
  /** A queued message waits for a next message, or for the queue to be resumed. */
  readonly is_held?: boolean
  /** The user's content; empty for the assistant. */
  readonly content: readonly ContentPart[]
  /** Ids of the assistant's blocks, in order. */
  readonly blocks: readonly string[]
  readonly agent?: string
  readonly model?: string
  readonly provider?: string
  readonly usage?: Usage
  readonly cost_usd?: number
  readonly finish?: Finish
  readonly stop_reason?: string
  readonly abort_reason?: string
  readonly error?: Failure
  /** The model no longer sees the whole conversation, from this message on. */
  readonly compacted?: boolean
  readonly started_at: number
  readonly ended_at?: number
}

export interface BlockView {
  readonly id: string
  readonly message: string
  readonly kind: BlockKind
  readonly state: 'streaming' | 'complete' | 'aborted'
  /** Text, thinking or refusal so far. Always '' for calls: those are in `calls`. */
  readonly text: string
  /** Deltas are missing; the text is a prefix until the block completes. */
  readonly gap?: boolean
  readonly call?: string
  readonly citations?: readonly unknown[]
  readonly data?: unknown
  readonly started_at: number
  readonly ended_at?: number
}

export interface CallView {
  /** Unique in the session; equal to `call_id` unless a provider used that one twice. */
  readonly id: string
  readonly call_id: string
  readonly name: string
  readonly title?: string
  readonly tool_type: 'function' | 'mcp' | 'builtin'
  readonly server?: string
  readonly executor: 'server' | 'client' | 'provider'
  readonly state: ToolState
  /** Start of this state. */
  readonly since: number
  readonly message: string
  readonly block: string
  readonly agent?: string
  /** Arguments as text, so far. */
  readonly input_text: string
  /** Top-level arguments readable in the text so far; kept until `input` is known. */
  readonly peek?: ArgsPeek
  /** Set when the arguments are complete and valid. */
  readonly input?: unknown
  readonly view?: ToolView
  readonly approval?: ApprovalView
  readonly client?: { readonly requested_at: number; readonly deadline?: number; readonly answered: boolean }
  /** The calls it waits for while it is queued; empty when all places are taken. */
  readonly after?: readonly string[]
  readonly attempt?: number
  readonly output: LiveOutput
  readonly progress?: {
    readonly message?: string
    readonly progress?: number
    readonly total?: number
    readonly data?: unknown
  }
  readonly result?: CallResult
  /** Agents that this call started. */
  readonly agents: readonly string[]
  readonly created_at: number
  readonly started_at?: number
  readonly ended_at?: number
  readonly duration_ms?: number
}

export interface ApprovalView {
  readonly id: string
  readonly kind: 'approval' | 'question'
  readonly message?: string
  readonly allow_edit: boolean
  readonly options: readonly unknown[]
  /** JSON Schema of the answer to a question. */
  readonly schema?: Readonly<Record<string, unknown>>
  /** A page that the question asks to open. */
  readonly url?: string
  /** The call has begun and continues with the answer; otherwise the answer is its result. */
  readonly resumes?: boolean
  readonly details?: unknown
  readonly automatic: boolean
  readonly requested_at: number
  readonly expires_at?: number
  /** A person's answer, or the log's decision once it has settled. */
  readonly decision?: 'approved' | 'denied' | 'expired' | 'cancelled'
  readonly reason?: string
  readonly rule?: string
  readonly by?: string
  readonly edited_input_text?: string
  readonly answer_text?: string
}

export interface CallResult {
  readonly output_text: string
  readonly content: readonly ContentPart[]
  readonly is_error: boolean
  readonly structured?: unknown
  readonly failure?: ToolFailure
  /** The check or step that failed; absent on success. */
  readonly layer?: ToolLayer
}

/** Output while a call runs: the end of it, and how much there was. Its text goes when the result is there. */
export interface LiveOutput {
  readonly tail: string
  /** Text before the tail, as far as it is kept. */
  readonly older: string
  readonly chars: number
  readonly lines: number
  /** The beginning is not kept any more. */
  readonly cut: boolean
}

export interface AgentView {
  readonly id: string
  readonly name: string
  readonly parent_call: string
  readonly parent_agent?: string
  /** It works on when the exchange that started it is over. */
  readonly background?: boolean
  /** The point at which it was started; only in the background. */
  readonly at?: BranchPoint
  readonly prompt: string
  readonly model?: string
  readonly state: 'running' | 'success' | 'suspended' | 'error'
  readonly messages: readonly string[]
  readonly stats: Stats
  readonly result?: string
  readonly error?: Failure
  readonly started_at: number
  readonly ended_at?: number
}

export interface PendingView {
  readonly kind: 'approval' | 'question' | 'client_tool'
  /** Approval id, or the call id of a client tool. */
  readonly id: string
  /** Id of the call in `calls`. */
  readonly call: string
  readonly call_id: string
  readonly name: string
  readonly input_text: string
  readonly message?: string
  readonly agent?: string
  readonly since: number
  readonly expires_at?: number
}

export interface Stats {
  readonly usage: Usage
  /** Absent when no part of the cost is known: unknown is not zero. */
  readonly cost_usd?: number
  /** Some part of the cost is unknown, so `cost_usd` is a lower bound. */
  readonly cost_partial: boolean
  /** Time in which a run was active; pauses are excluded. */
  readonly duration_ms: number
  /** Model requests. */
  readonly turns: number
  readonly models: readonly { readonly model: string; readonly usage: Usage; readonly cost_usd?: number }[]
}

export const NO_STATS: Stats = { usage: NO_USAGE, cost_partial: false, duration_ms: 0, turns: 0, models: [] }
export const NO_OUTPUT: LiveOutput = { tail: '', older: '', chars: 0, lines: 0, cut: false }

/** The view of a session of which nothing has been read. */
export const emptyView = (): SessionView => ({
  head: 0,
  info: { model: '', permission_mode: 'default', cwd: '', tools: [] },
  phase: 'idle',
  cancelling: false,
  turns: [],
  messages: new Table(),
  blocks: new Table(),
  calls: new Table(),
  agents: new Table(),
  active: [],
  pending: [],
  queue: [],
  stats: NO_STATS,
  earlier_stats: NO_STATS,
  notes: {},
})

const FINAL: ReadonlySet<ToolState> = new Set(['success', 'failed', 'denied', 'cancelled', 'expired', 'lost'])
/** The call has its terminal event; nothing about it changes any more. */
export const isFinal = (state: ToolState): boolean => FINAL.has(state)

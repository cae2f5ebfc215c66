/** Session state: always `records.reduce(evolve, initial())`, never stored as the truth. */
import type { BranchPoint, BranchTree } from '../branches/branch-tree.ts'
import type { Effort } from '../effort.ts'
import type { BlockKind, ContentPart, EventOf, Finish, Seq, ToolFailure, ToolSpec, Usage } from '../event.ts'
import type { AssistantPart, HistoryMessage } from './history.ts'
import type { RunLimits } from './run-limits.ts'

export interface CallState {
  readonly call_id: string
  readonly name: string
  readonly message_id: string
  readonly block_id: string
  readonly tool_type: 'function' | 'mcp' | 'builtin'
  readonly executor: 'server' | 'client' | 'provider'
  readonly input_text: string
  /** Set by `tool.ready`: the arguments parse and fit the schema. */
  readonly input?: unknown
  readonly ready: boolean
  /** Identity of the definition that the model was offered. */
  readonly definition?: string
  readonly approval?: {
    readonly approval_id: string
    readonly kind: 'approval' | 'question'
    readonly message?: string
    readonly expires_at?: string
    readonly details?: unknown
    /** JSON Schema of the answer. */
    readonly schema?: Readonly<Record<string, unknown>>
    readonly url?: string
    /** The call had started when it asked, and continues with the answer. */
    readonly resumes?: true
    /** The decision in the log; absent while it is pending. */
    readonly decision?: 'approved' | 'denied' | 'expired' | 'cancelled'
    readonly reason?: string
    readonly edited_input_text?: string
    readonly answer_text?: string
    /** A user's answer that the run has not processed yet. */
    readonly answer?: EventOf<'input.approval'>
  }
  readonly client?: { readonly deadline?: string; readonly answer?: EventOf<'input.tool_output'> }
  readonly started?: { readonly attempt: number; readonly ts: string; readonly epoch: number }
  /** The user stopped this call alone. */
  readonly cancel?: EventOf<'input.cancel'>
  readonly outcome?: CallOutcome
}

export interface CallOutcome {
  readonly output_text: string
  readonly content: readonly ContentPart[]
  readonly is_error: boolean
  readonly failure?: ToolFailure
  /** The source of text when others wrote it. */
  readonly outside?: string
}

/** A model message that is still being written. */
export interface OpenTurn {
  readonly turn: number
  readonly attempt: number
  readonly provider: string
  readonly model: string
  readonly message_id?: string
  /** The block that is being written; its completion does not repeat its kind. */
  readonly open?: { readonly block_id: string; readonly kind: BlockKind }
  readonly parts: readonly (AssistantPart & { readonly block_id: string })[]
}

export interface UsageRow {
  readonly model: string
  readonly usage: Usage
  /** Absent when the cost of any request in it is unknown: a part is not the total. */
  readonly cost_usd?: number
}

export interface RunState extends RunLimits {
  readonly run_id: string
  readonly conversation_id: string
  readonly started_at: string
  readonly model: string
  readonly client_tools: readonly ToolSpec[]
  readonly options?: Readonly<Record<string, unknown>>
  readonly via?: { readonly protocol: string; readonly dialect?: string; readonly key?: string }
  readonly num_turns: number
  /** Turns before the latest answer of a client that drives the loop itself; they do not use up `max_turns`. */
  readonly turns_before?: number
  /** Next value of `run_index`: blocks are numbered through the whole conversation. */
  readonly blocks: number
  readonly usage: readonly UsageRow[]
  /** Known costs of the conversation so far: at least this much was spent. */
  readonly spent_usd: number
  readonly last?: { readonly finish: Finish; readonly stop_reason: string } | undefined
  readonly failures: number
  /** Subagents started so far. */
  readonly agents?: number
  /** Answers of hooks so far. */
  readonly hooks?: readonly HookAnswer[]
}

type HookAnswer = Pick<EventOf<'hook.answered'>, 'hook' | 'event' | 'sha256' | 'effect'>

export interface QueuedMessage {
  readonly seq: number
  /** With its latest content. */
  readonly event: EventOf<'input.message'>
  /** It met a session that was not idle. */
  readonly waited?: true
  /** It goes to the model with the next request of the run. */
  readonly delivered?: true
  /** It starts no run until a next message arrives or the queue is resumed. */
  readonly held?: true
  /** Number of changes so far. */
  readonly revision?: number
}

/** The summary that replaces the start of the history for the model. */
export interface Compaction {
  /** Messages from the start of the history that the summary replaces. */
  readonly replaced: number
  readonly summary?: string
  readonly shortened: readonly string[]
  /** Calls whose results the summary repeats. */
  readonly repeated?: readonly string[]
  /** No turn has been completed since. */
  readonly is_news: boolean
}

/** The part of the state that a root agent and a subagent share. */
export interface AgentState {
  readonly phase: 'idle' | 'running' | 'paused'
  readonly run?: RunState | undefined
  readonly turn?: OpenTurn | undefined
  /** Turns of the session so far; the next turn has this number. */
  readonly turns: number
  /** Calls of the latest model message, in its order. */
  readonly calls: readonly CallState[]
  /** The whole history; `modelHistory` gives the part that a model sees. */
  readonly messages: readonly HistoryMessage[]
  readonly compaction?: Compaction | undefined
  /** Tokens that the latest complete turn read and wrote; unknown after a compaction and where a provider adds up several reads. */
  readonly context_tokens?: number | undefined
  /** Latest definitions of the client tools of all runs so far: a history that calls one may have to declare it. */
  readonly known_tools?: readonly ToolSpec[]
  /** Ids of calls in aborted messages and of subagents that are gone: a provider that repeats one must not revive it. */
  readonly aborted_calls: readonly string[]
  readonly queue: readonly QueuedMessage[]
  /** Runs of messages that were withdrawn since the latest run started: a start in flight must not run. */
  readonly withdrawn_runs?: readonly string[] | undefined
  readonly cancel?: EventOf<'input.cancel'> | undefined
  /** Latest value per name of the `note` events: what tools remember (files read, working directory, todos). */
  readonly notes?: Readonly<Record<string, unknown>>
}

/** A message with everything that was done about it, and what it changed beside the messages. */
export interface Exchange {
  /** Seq of the start of its run. */
  readonly seq: Seq
  readonly branch: string
  /** Messages before it. */
  readonly from: number
  /** Seq of the message that began it. */
  readonly input?: Seq
  readonly message_id?: string
  readonly client_message_id?: string
  readonly conversation_id: string
  readonly changed?: {
    readonly compaction?: Compaction
    readonly known_tools?: readonly ToolSpec[]
    readonly facts?: Readonly<Record<string, string>>
    readonly notes?: Readonly<Record<string, unknown>>
  }
}

/** An exchange of a branch that is not the active one. */
export interface HiddenExchange extends Omit<Exchange, 'from'> {
  readonly messages: readonly HistoryMessage[]
}

export interface SessionState extends AgentState {
  readonly head: number
  /** The exchanges of `messages`, oldest first. */
  readonly exchanges?: readonly Exchange[]
  /** Absent until the first branch is opened. */
  readonly branches?: BranchTree
  /** Exchanges that are not part of the active branch, oldest first. */
  readonly hidden?: readonly HiddenExchange[]
  readonly created?: EventOf<'session.created'>
  readonly title?: string
  /** The prompt as recorded; absent before the first request, and in sessions that get none. */
  readonly context?: SessionContext
  readonly model: string
  readonly permission_mode: string
  readonly effort?: Effort
  readonly provider_session_id?: string
  readonly conversations: number
  readonly last_error?: { readonly code: string; readonly message: string }
  /**
   * Subagents by run id, nested ones included. Each is kept until its call has ended, a background one until its
   * end was reported.
   */
  readonly agents: Readonly<Record<string, SubagentState>>
  /** Conversations of the latest finished subagents, which can be resumed; oldest first. */
  readonly past_agents?: Readonly<Record<string, PastAgent>>
}

export interface SessionContext {
  readonly generation: number
  readonly parts: EventOf<'context.set'>['parts']
  readonly facts: Readonly<Record<string, string>>
  /** Facts that the words of this generation hold. */
  readonly made_with?: Readonly<Record<string, string>>
  readonly skipped?: readonly string[]
  readonly warnings?: readonly string[]
  /** Skills that the session may load. */
  readonly skills?: readonly SessionSkill[]
  /** Types of subagents of the project. */
  readonly agents?: readonly SessionAgentType[]
  /** The next request records it again: the history was compacted, or its owner asked for it. */
  readonly is_stale?: true
  /** Changes that the latest run with changes has reported. */
  readonly changes?: { readonly run_id: string; readonly count: number }
}

export type SessionAgentType = NonNullable<EventOf<'context.set'>['agents']>[number]

export type SessionSkill = NonNullable<EventOf<'context.set'>['skills']>[number]

interface PastAgent {
  readonly spec: EventOf<'agent.started'>
  readonly messages: readonly HistoryMessage[]
  readonly compaction?: Compaction | undefined
}

export interface SubagentState extends AgentState {
  readonly agent_run_id: string
  readonly name: string
  readonly parent_call_id: string
  readonly parent_agent_run_id?: string
  readonly spec: EventOf<'agent.started'>
  /** The point at which it was started; only of agents in the background. */
  readonly at?: BranchPoint
  /** The end of its run; absent while it runs or is paused. */
  readonly ended?: EventOf<'run.completed' | 'run.failed' | 'run.cancelled'>
  readonly finished?: EventOf<'agent.finished'>
}

export const initialAgent = (): AgentState => ({
  phase: 'idle',
  turns: 0,
  calls: [],
  messages: [],
  aborted_calls: [],
  queue: [],
})

export const initial = (): SessionState => ({
  ...initialAgent(),
  head: 0,
  model: '',
  permission_mode: 'default',
  conversations: 0,
  agents: {},
})

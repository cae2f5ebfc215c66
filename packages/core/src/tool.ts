/** The port every tool implements, and what the runtime gives it. Tools are leaves: they know nothing else. */
import type { ContentPart, Failure, ToolSpec, ToolView, Usage } from './event.ts'
import type { HostedSearch } from './hosted-search.ts'
import type { SessionAgentType, SessionSkill } from './state/state.ts'

/** A call whose arguments parse and fit the tool's schema. */
export interface ToolCall {
  readonly call_id: string
  readonly name: string
  readonly input: unknown
}

/**
 * The session's small durable memory: the latest value per name, kept in the log, so that it
 * survives a restart and travels with a fork. Values must be JSON.
 */
export interface ToolNotes {
  readonly get: (name: string) => unknown
  /** Names that start with `prefix`, in no particular order. */
  readonly names: (prefix: string) => readonly string[]
  /** Committed together with the call's result; visible to later calls at once. `null` forgets. */
  readonly set: (name: string, value: unknown) => void
  /** Resolves when it is committed: for facts that must outlive a crash of this very call. */
  readonly save: (name: string, value: unknown) => Promise<void>
}

/** Room on the disk for one call, within the limits of its session and owner. */
export interface DiskShare {
  /** Bytes of the call at most. */
  readonly limit: number
  /** Resolves when the files that the session has are counted. Never rejects. */
  readonly ready: () => Promise<void>
  /** Counts up to `bytes` and returns how many of them may be written. */
  readonly take: (bytes: number) => number
  /** Bytes that were counted and are not on the disk. */
  readonly giveBack: (bytes: number) => void
}

export interface ToolContext {
  readonly session_id: string
  readonly call_id: string
  /** Unique per call, stable across retries and machines. Pass it to services as their idempotency key. */
  readonly idempotency_key: string
  /** Absent for the root agent. */
  readonly agent_run_id?: string
  /** The session's working directory; relative paths resolve against it. */
  readonly cwd: string
  /** Directories that need no question. The first is the workspace; canonical paths. */
  readonly roots: readonly string[]
  /** Directories that may be read without a question: those of skills that were loaded. Canonical paths. */
  readonly readable?: readonly string[]
  /** Skills that the session may load. */
  readonly skills?: readonly SessionSkill[]
  /** Types of subagents that the project brings. */
  readonly agents_of_project?: readonly SessionAgentType[]
  /** Of the session; absent outside of one. */
  readonly permission_mode?: string
  /** Directories of the server itself: tools that look below a directory leave them out. Canonical paths. */
  readonly hidden?: readonly string[]
  /** Of a call that is only explained: nothing outside of these directories is looked at. Anywhere when absent. */
  readonly within?: readonly string[]
  /** Folder of this session for output that is too large for a message. Not made before it is needed. */
  readonly artifacts: string
  /** Room for what the call writes there; without a bound when absent. */
  readonly disk?: DiskShare
  /** Limits on the text that a result adds to the conversation. */
  readonly output: { readonly chars: number; readonly lines: number }
  readonly notes: ToolNotes
  readonly signal: AbortSignal
  readonly attempt: number
  /** The person who approved the call changed its input. */
  readonly edited: boolean
  /** The preview that the approving user saw; absent without an approval or if the input was changed. */
  readonly approved?: unknown
  /**
   * The canonical path that the call was allowed for; absent where it was not about a path, or is not decided yet. A path
   * that leads elsewhere by now must not be used.
   */
  readonly judged?: string
  /** Files that rules withhold from this call, though it may look around them. None when absent. */
  readonly withheld?: WithheldFiles
  /** The web search that the client of this run asked for, with the searches that this response made before. */
  readonly hosted_search?: HostedSearch & { readonly used: number }
  /** True if the model still sees the result of this earlier call. */
  readonly isInHistory: (call_id: string) => boolean
  /**
   * Runs a subagent for this call, or resumes it after a pause or crash: one per call. Absent where calls run
   * outside a session's loop.
   */
  readonly runAgent?: (spec: AgentSpec) => Promise<AgentEnd>
  /** The session's agents in the background that have not ended. Absent where calls run outside a session's loop. */
  readonly agents?: LiveAgents
  /** The outcome of the question that suspended the call; absent if it was never suspended. */
  readonly answered?: QuestionAnswer
  /**
   * Withdraws the question that suspends the call and restarts the call. An answer that came first takes
   * precedence. Absent outside a session's loop.
   */
  readonly withdraw?: (reason: string) => Promise<void>
  /**
   * `end` runs once when the call is over, however that comes about, also while it is suspended.
   * Only in this process: after a restart nothing is left of it.
   */
  readonly onCallEnd?: (end: () => void) => void
}

export interface WithheldFiles {
  /** True if a canonical path is in the set. */
  readonly has: (path: string) => boolean
  /** The rules that may withhold something in this canonical directory, as written. */
  readonly rulesBelow: (dir: string) => readonly string[]
}

/** Agents that work in a session's background. */
export interface LiveAgents {
  readonly list: () => readonly LiveAgent[]
  /**
   * Stops it; no message reports its end. False if there is no such item with this id. Resolves when the stop is
   * committed.
   */
  readonly stop: (agent_run_id: string, reason: string) => Promise<boolean>
}

export interface LiveAgent {
  readonly agent_run_id: string
  readonly name: string
  /** Waits for a person, or works. */
  readonly state: 'waiting' | 'working'
  /** Its latest text; may be empty. */
  readonly text: string
}

/** A question from a running call to the user. */
export interface CallQuestion {
  readonly message: string
  readonly options?: readonly unknown[]
  /** JSON Schema of the answer; any text when absent. */
  readonly schema?: Readonly<Record<string, unknown>>
  /** A page to open. */
  readonly url?: string
  readonly details?: unknown
}

export interface QuestionAnswer {
  /** `denied` and `cancelled` by a user, `expired` after the deadline or a withdrawal. */
  readonly decision: 'approved' | 'denied' | 'expired' | 'cancelled'
  /** The answer as it was given; JSON where the question had a schema. */
  readonly text?: string
  readonly reason?: string
}

/** Settings of a new subagent. It never gets more than the agent that starts it. */
export interface AgentSpec {
  readonly name: string
  /** Its kind. Never what a model made up: permission rules may be for one kind alone. */
  readonly type?: string
  /** The version of its kind, if that has versions. */
  readonly version?: { readonly id: string; readonly version: string }
  readonly prompt: string
  readonly system?: string
  /** The parent's when absent. */
  readonly model?: string
  /** Names of the tools it may use, of those its parent may use; a trailing `*` matches any ending. */
  readonly tools?: readonly string[]
  /** True if it may use client tools. */
  readonly client_tools: boolean
  /** Thinking effort in the provider's terms; the parent's setting if absent. */
  readonly effort?: string
  /** Output limit of one message of its model. */
  readonly max_tokens?: number
  /** Identifies one of several agents of a call; a call without it has one. */
  readonly part?: string
  readonly max_turns?: number
  /** Its own spending limit; it always shares the budget of the session's run too. */
  readonly max_cost_usd?: number
  /** Maximum number of agents per run of the session; the next one is rejected. */
  readonly max_agents?: number
  /** The call does not wait: the answer is `launched`, and a message reports the end. */
  readonly background?: boolean
  /** Its own workspace; the session's when absent. */
  readonly cwd?: string
  /** A finished agent whose conversation is resumed. */
  readonly resumes?: string
}

export type AgentEnd =
  | {
      readonly type: 'finished'
      readonly agent_run_id: string
      /** Its last words; may be empty. */
      readonly text: string
      /** The stop reason, from its model or the runtime. */
      readonly stop_reason: string
      /** Set if it did not end by itself. */
      readonly error?: Failure
      readonly usage: Usage
      readonly cost_usd?: number
      readonly num_turns: number
      readonly num_calls: number
      /** Calls by the name of their tool. */
      readonly calls_by_tool?: Readonly<Record<string, number>>
      readonly duration_ms: number
    }
  /** It works in the background. */
  | { readonly type: 'launched'; readonly agent_run_id: string }
  /** It was not started, for this reason. */
  | { readonly type: 'refused'; readonly code: string; readonly message: string }
  /** It waits for somebody outside. The call must end with a `suspended` step; it is begun again later. */
  | { readonly type: 'suspended' }
  /** The call was stopped. */
  | { readonly type: 'aborted' }

export interface ToolOutcome {
  /** The text that the model sees. */
  readonly output_text: string
  readonly content?: readonly ContentPart[]
  readonly is_error?: boolean
  /** Names the error where there is one; `failed` when absent. */
  readonly code?: string
  readonly structured?: unknown
  readonly view?: ToolView
  /** The end to keep when the text is truncated: the tail of a command's output, else the head. */
  readonly keep?: 'head' | 'tail'
  /** Set by a tool that has bounded its text itself and stored the rest. */
  readonly bounded?: boolean
  /** The source of text when others wrote it: an address, a server, an agent. The model gets it fenced. */
  readonly outside?: string
}

/** The call did not work. `code` is the tool's own, or `failed`; `precondition` when nothing was tried. */
export interface ToolProblem {
  readonly code?: string
  readonly message: string
  readonly retryable?: boolean
  readonly details?: unknown
  /** The source of the message when others wrote it. */
  readonly outside?: string
}

/** Progress any number of times, then exactly one result or failure, or `suspended`. */
export type ToolStep =
  | {
      readonly type: 'progress'
      readonly message?: string
      readonly progress?: number
      readonly total?: number
      readonly output_delta?: string
      readonly data?: unknown
    }
  | ({ readonly type: 'result' } & ToolOutcome)
  | ({ readonly type: 'failure' } & ToolProblem)
  /**
   * The call stays open and is begun again later: when its question is answered, or, without one,
   * when the subagent that it waits for can go on.
   */
  | { readonly type: 'suspended'; readonly question?: CallQuestion }

/**
 * A resource that a call uses. Keys: `file:<canonical path>`, `tree:<canonical dir>` (everything below it), `*`
 * (anything at all), or any other name of a shared resource (`mcp:<server>`, `net:<host>`).
 */
export interface Access {
  readonly key: string
  readonly mode: 'read' | 'write'
}

/** The action of a call, as permission rules see it. */
export type PermissionSubject =
  | { readonly type: 'tool'; readonly read_only: boolean }
  | {
      readonly type: 'path'
      /** Canonical. */
      readonly path: string
      readonly write: boolean
      /** The absolute path before links are followed, where it is another one. */
      readonly named?: string
    }
  | {
      readonly type: 'command'
      readonly command: string
      /** It would run outside of the sandbox that commands have here. */
      readonly unconfined?: boolean
      /** Whose repository git would work with there: the workspace's own, none, or (when absent) another one. */
      readonly repository?: 'own' | 'none' | 'other'
    }
  | { readonly type: 'url'; readonly url: string; readonly read_only: boolean }

/** Arguments after the schema's check: the value to run with, or one sentence per problem. */
export type CheckedInput<Input> =
  | { readonly ok: true; readonly input: Input }
  | { readonly ok: false; readonly problems: readonly string[] }

/** The proof that a tool has about a call interrupted by a crash. */
export type Recovery =
  | ({ readonly type: 'done' } & ToolOutcome)
  /** Nothing happened: it may run again. */
  | { readonly type: 'not_done' }
  | { readonly type: 'unknown'; readonly message?: string }

export interface ToolSetting {
  readonly cwd: string
  readonly permission_mode: string
  readonly model: string
  /** 0 for the root agent, 1 for an agent that it started, and so on; 0 when absent. */
  readonly depth?: number
  /** Skills that the session may load; absent before they are recorded. */
  readonly skills?: readonly SessionSkill[]
  /** Types of subagents that the project brings. */
  readonly agents?: readonly SessionAgentType[]
}

/** A row of the generated table in docs/tools.md. */
export interface ToolLimit {
  readonly name: string
  readonly value: string
}

export interface Tool<Input = unknown> {
  /** The name that the model uses. */
  readonly name: string
  /** The name that users see; `name` if absent. */
  readonly title?: string
  readonly type?: 'builtin' | 'function' | 'mcp'
  /** The MCP server it comes from. */
  readonly server?: string
  readonly description: string | ((setting: ToolSetting) => string)
  /** Usage guidance for the model; sent after the description. */
  readonly prompt?: string | ((setting: ToolSetting) => string)
  /** JSON Schema as sent to the model. */
  readonly input_schema: ToolSpec['input_schema']
  /** The schema as a session is offered it; the same object for the same setting. `input_schema` when absent. */
  inputSchemaFor?(setting: ToolSetting): ToolSpec['input_schema']
  readonly limits?: readonly ToolLimit[]
  /** Checks arguments against the schema and fills defaults in. Pure. */
  check(input: unknown): CheckedInput<Input>
  /** Offered to the model at all; yes when absent. */
  isEnabled?(setting: ToolSetting): boolean
  /** Read-only calls may run at the same time, and again after a crash. */
  isReadOnly(input: Input, context: ToolContext): boolean
  /**
   * Running the call again under the same `context.idempotency_key` has no second effect: a call that a crash
   * or a stop of the server cut off is run again. Never when absent. Pure.
   */
  isIdempotent?(input: Input, context: ToolContext): boolean
  /**
   * True if the user is asked when no rule decides; by default unless the tool is read-only. Rules, folders
   * outside the workspace and the permission mode take precedence; command lines are judged separately. Pure.
   */
  needsPermissions?(input: Input, context: ToolContext): boolean
  /** It says of itself that it destroys what it changes. Only shown: rules decide what may run. */
  readonly destructive?: boolean
  /** The subject of permission rules; the whole tool if absent. Never throws for a bad path. */
  subject?(input: Input, context: ToolContext): Promise<PermissionSubject>
  /** Resources that it uses; undeclared means everything: read for a read-only call, else written. */
  access?(input: Input, context: ToolContext): Promise<readonly Access[]>
  /** The reason that the call cannot work, found before it starts; undefined if it can. */
  validate?(input: Input, context: ToolContext): Promise<string | ToolProblem | undefined>
  call(input: Input, context: ToolContext): AsyncIterable<ToolStep>
  /** Problems of a result's `structured` data, one sentence each. Pure; the call fails with `output_invalid`. */
  checkOutput?(structured: unknown): readonly string[]
  /**
   * Asked, once, about a call that was started and cut off by a crash, unless it is read-only. Where it does not
   * know, or throws, an idempotent call is run again and any other ends with `unknown_outcome`.
   */
  recover?(input: Input, context: ToolContext): Promise<Recovery>
  /**
   * The call is a question to a person: it always asks, in every mode, and the answer is its
   * result. `call` is only reached when it was approved without an answer.
   */
  question?(input: Input): Pick<CallQuestion, 'message' | 'options' | 'schema'>
  /** Display of the call before it has run. */
  view?(input: Input): ToolView
  /** The text that users read when the call was not allowed; the model reads the reason. Pure. */
  renderToolUseRejectedMessage?(input: Input): string
  /** The text of a result as the model reads it, before it is bounded; `view` is for people. Pure. */
  renderResultForAssistant?(content: string): string
  /** The preview for the approver beside the arguments, such as a diff. Must not change anything. */
  preview?(input: Input, context: ToolContext): Promise<unknown>
  /** Stopped with `timeout` after this long; tools that know better limit themselves. */
  readonly timeout_ms?: number
  /** Repeating it with the same result is its purpose (waiting, polling, thinking). */
  readonly may_repeat?: boolean
  /**
   * Identity of the definition sent to the model. A call of another definition fails with `tool_changed`; without
   * it no call does.
   */
  readonly definition?: string
  /** Not sent to the model until `tools_loaded` names it; it can still be called. */
  readonly deferred?: boolean
  /** Not offered where this other tool is, because it does the same; it can be called all the same. */
  readonly superseded_by?: string | ((setting: ToolSetting) => string | undefined)
  /** True: the session's client runs it. The call is handed over and ends with the client's answer; `call` is never reached. */
  readonly client?: boolean
  /** It writes what it says to the file of its output itself; otherwise that is done for it, from its progress. */
  readonly keeps_output?: boolean
  /** False: never begun while the model still writes, even where that would be safe. */
  readonly eager?: boolean
}

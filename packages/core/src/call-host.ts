/** The port between the MCP server and the sessions of its caller: a call is a call of a session. */
import type { PendingItem } from './event.ts'

/** A tool that the server's configuration offers. */
export interface HostedTool {
  readonly name: string
  readonly description: string
  readonly input_schema: Readonly<Record<string, unknown>>
  readonly isReadOnly: boolean
  readonly isDestructive: boolean
}

/** The settings of an agent's sessions. */
export interface AgentSettings {
  readonly system: string
  readonly tools?: readonly string[] | undefined
  readonly model?: string | undefined
  readonly max_turns?: number | undefined
}

export interface CallRequest {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
  /** The same key starts one call and gets its result again. */
  readonly key?: string | undefined
}

export interface AgentRequest {
  readonly name: string
  readonly agent: AgentSettings
  readonly message: string
  /** A conversation with the same agent to continue. */
  readonly session_id?: string | undefined
  readonly key?: string | undefined
}

/** A call, in progress or ended. Its id names its session, so it is found on every server of the group. */
export interface HostedCall {
  readonly id: string
  readonly session_id: string
  readonly name: string
  readonly isAgent: boolean
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** The same, of the latest change of its session. */
  readonly updatedAt: number
}

/** The result of `tools/call` in the form of the protocol. */
export interface HostedResult {
  readonly content: readonly HostedContent[]
  readonly structuredContent?: Readonly<Record<string, unknown>>
  readonly isError?: true
  readonly _meta: Readonly<Record<string, unknown>>
}

export type HostedContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | {
      readonly type: 'resource_link'
      readonly uri: string
      readonly name: string
      readonly mimeType?: string
    }

export interface HostedProgress {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

/** `failed`: the run broke, and the result says why. An error that a tool returned is `completed`. */
export type HostedEnd = 'completed' | 'failed' | 'cancelled'

/** `position` is where the log was read to. `running`: the wait was over first. */
export type HostedOutcome =
  | { readonly type: 'result'; readonly result: HostedResult; readonly end: HostedEnd }
  | { readonly type: 'paused'; readonly pending: readonly PendingItem[]; readonly position: number }
  | { readonly type: 'running' }

export interface FollowOptions {
  /** Ends the wait, not the call. */
  readonly signal: AbortSignal
  readonly onProgress?: ((progress: HostedProgress) => void) | undefined
  /** The position of a pause that is known: the wait is for what comes after it. */
  readonly after?: number | undefined
}

export interface ItemAnswer {
  readonly decision: 'approved' | 'denied' | 'cancelled'
  readonly answer_text?: string | undefined
}

export interface CallHost {
  /** Equal for requests with the same key of the same owner. */
  caller(): string
  /** The caller may decide on calls. */
  mayApprove(): boolean
  tools(): readonly HostedTool[]
  /** Throws `conflict` if the key was used for another call. */
  start(request: CallRequest): Promise<HostedCall>
  /** As `start`. Throws `session_not_found` for a session that is not a conversation of the caller with this agent. */
  startAgent(request: AgentRequest): Promise<HostedCall>
  /** Undefined for an id that names no call of the caller. */
  find(id: string): Promise<HostedCall | undefined>
  /** Throws `session_deleted`. */
  follow(call: HostedCall, options: FollowOptions): Promise<HostedOutcome>
  /** The outcome so far, without a wait. Throws `session_deleted`. */
  peek(call: HostedCall): Promise<HostedOutcome>
  /** The first answer wins; a later one changes nothing. Throws `forbidden` for a decision that the caller may not make. */
  answer(call: HostedCall, item: PendingItem['id'], answer: ItemAnswer): Promise<void>
  cancel(call: HostedCall, reason: string): Promise<void>
  /** Equal on all servers of the group. */
  secret(): Promise<string>
}

/**
 * The state of the thread projection between records: the open conversation, its open blocks and its calls. Each
 * connection holds one.
 */
import { threadNo, type Usage } from '@toolwire/core'
import type { ProjectionContext } from '../wire.ts'

export interface ThreadState {
  readonly thread_id: number
  readonly shows: ThreadOptions
  /** Message ids of queued messages, by the run that will start with them. */
  readonly queued: ReadonlyMap<string, string>
  readonly conversation?: Conversation
  /** Blocks that are being written: at most one per agent. */
  readonly blocks: readonly ThreadBlock[]
  readonly calls: ReadonlyMap<string, ThreadCall>
}

/** Events that only some readers want. */
export interface ThreadOptions {
  /** `tool.input.delta`: the arguments while they are written. */
  readonly input_deltas: boolean
  /** Text and reasoning of nested agents; their tool events are always shown. */
  readonly agents: boolean
}

export interface Conversation {
  readonly conversation_id: string
  /** The run is over; a pause keeps the conversation for the run that resumes it. */
  readonly ended: boolean
  /** Number of the next iteration; it continues across pauses. */
  readonly next_iteration: number
  /** The iteration that has started and was not sent as completed. */
  readonly open_iteration?: number
  readonly usage: Usage
}

export interface ThreadBlock {
  readonly block_id: string
  readonly kind: 'text' | 'reasoning' | 'refusal' | 'input' | 'result'
  readonly agent_id?: string
  /** The call whose arguments the block holds. */
  readonly call_id?: string
  /** Text of its chunks so far. */
  readonly said: string
}

export interface ThreadCall {
  readonly name: string
  readonly tool_type: 'function' | 'mcp'
  readonly executor: 'server' | 'client' | 'provider'
  readonly agent_id?: string
  readonly announced: boolean
  readonly approval?: {
    readonly allow_edit: boolean
    readonly options?: readonly unknown[]
    readonly details?: unknown
  }
}

export const NO_USAGE: Usage = { input: 0, output: 0, cache_read: 0, cache_write: 0, reasoning: 0 }

export const initialThreadState = (context: ProjectionContext): ThreadState => ({
  thread_id: threadNo(context.session_id),
  shows: {
    input_deltas: context.options?.['input_deltas'] === true,
    agents: context.options?.['agents'] === true,
  },
  queued: new Map(),
  blocks: [],
  calls: new Map(),
})

/** Memory of the AG-UI projection between records: the current run, its open blocks and its calls. */
import type { ProjectionContext } from '../wire.ts'

/** Reasons that front ends know; those of CopilotKit and assistant-ui differ, so the route chooses. */
export type InterruptReason = 'tool_call' | 'confirmation'

export interface AgUiOptions {
  /** Ids of the client; those of the log unless given. */
  readonly thread_id?: string
  readonly run_id?: string
  /** The client announced version 1.0; earlier ones reject parts of it. */
  readonly isVersion1?: boolean
  readonly interrupt_reason?: InterruptReason
  /** Results of client tools are sent too: for a reader that did not give them. */
  readonly client_results?: boolean
}

export interface AgUiEvent {
  readonly type: string
  readonly [field: string]: unknown
}

export type AgUiStep = readonly [AgUiState, readonly AgUiEvent[]]

export interface AgUiState {
  readonly session_id: string
  readonly options: AgUiOptions
  readonly run?: { readonly threadId: string; readonly runId: string; readonly isOpen: boolean }
  readonly steps: number
  /** Name of the open step. */
  readonly step?: string | undefined
  /** The model message in progress, and whether a part of it has its id already. */
  readonly message: { readonly id: string; readonly isUsed: boolean }
  readonly blocks: ReadonlyMap<string, AgUiBlock>
  readonly calls: ReadonlyMap<string, AgUiCall>
  readonly agents: ReadonlyMap<string, { readonly name: string; readonly at: number }>
}

export interface AgUiBlock {
  readonly kind: 'text' | 'reasoning' | 'call'
  /** Of the message in the page, or of the call. */
  readonly id: string
  readonly isStreamed: boolean
}

export interface AgUiCall {
  readonly message_id: string
  readonly name: string
  readonly input_text: string
  readonly isClient: boolean
  /** The page has it. */
  readonly isShown: boolean
  readonly progressAt?: number
}

export const initialAgUiState = ({ session_id, options }: ProjectionContext): AgUiState => ({
  session_id,
  options: (options ?? {}) as AgUiOptions,
  steps: 0,
  message: { id: '', isUsed: false },
  blocks: new Map(),
  calls: new Map(),
  agents: new Map(),
})

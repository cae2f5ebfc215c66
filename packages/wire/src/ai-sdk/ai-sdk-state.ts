/** Memory of the AI SDK projection between records: the current exchange, a message with all its pauses. */
import type { ProjectionContext } from '../wire.ts'
import type { Dialect, UiChunk } from './ui-chunk.ts'

/** Parts of the message that the page already shows; the projection does not send them twice. */
export interface HeldMessage {
  readonly id: string
  /** Per step, the number of its texts and reasonings. */
  readonly steps: readonly { readonly texts: number; readonly reasonings: number }[]
  readonly calls: ReadonlyMap<string, HeldCall>
}

interface HeldCall {
  /** The page has the end that this server sent. */
  readonly isEnded: boolean
  /** The approval that the page asks for, or has an answer to. */
  readonly approval_id?: string
}

export interface AiSdkOptions {
  readonly held?: HeldMessage
  /** Pauses up to this record were answered: their `finish` is not sent. */
  readonly resumed_at?: number
}

export interface AiSdkState {
  readonly dialect: Dialect
  readonly session_id: string
  readonly options: AiSdkOptions
  readonly exchange?: Exchange
}

export type AiSdkStep = readonly [AiSdkState, readonly UiChunk[]]

export interface Exchange {
  /** The id of the message in the page. */
  readonly id: string
  readonly isOpen: boolean
  readonly held: HeldMessage | undefined
  readonly model: string
  readonly started_at: string
  readonly usage: UsageSum
  readonly cost_usd: number
  /** Steps that the page shows, the current one included. */
  readonly steps: number
  readonly hasOpenStep: boolean
  /** Texts and reasonings of the current step so far. */
  readonly texts: number
  readonly reasonings: number
  readonly blocks: ReadonlyMap<string, UiBlock>
  readonly calls: ReadonlyMap<string, UiCall>
  readonly agents: ReadonlyMap<string, UiAgent>
}

export interface UsageSum {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly totalTokens: number
  readonly reasoningTokens: number
  readonly cachedInputTokens: number
}

export interface UiBlock {
  readonly kind: 'text' | 'reasoning' | 'tool'
  /** Of the block, or of the call. */
  readonly id: string
  /** Start of a delta frame, up to its text. */
  readonly deltaHead: string
  /** A delta was sent; a completion without any is sent as one delta. */
  readonly isStreamed: boolean
  /** The page has it. */
  readonly isHeld: boolean
}

export interface UiCall {
  readonly call_id: string
  readonly name: string
  readonly title?: string
  readonly isClient: boolean
  /** The page has a part for it. */
  readonly isShown: boolean
  readonly isReady: boolean
  readonly input_text: string
  readonly input?: unknown
  readonly isHeld: boolean
  readonly isRefused: boolean
  /** Time of the latest progress that was sent, and the end of its live output. */
  readonly progress?: { readonly at: number; readonly output: string }
}

interface UiAgent {
  readonly name: string
  readonly at: number
}

export const NO_USAGE: UsageSum = {
  inputTokens: 0,
  outputTokens: 0,
  totalTokens: 0,
  reasoningTokens: 0,
  cachedInputTokens: 0,
}

export const initialAiSdkState =
  (dialect: Dialect) =>
  ({ session_id, options }: ProjectionContext): AiSdkState => ({
    dialect,
    session_id,
    options: (options ?? {}) as AiSdkOptions,
  })

/** The port every model provider implements. Mirror image of a wire: a provider's stream in, parts out. */
import type { Effort } from './effort.ts'
import type { BlockKind, Failure, Finish, Opaque, ToolSpec, Usage, Warning } from './event.ts'
import type { HistoryMessage } from './state/history.ts'

export type ToolChoice =
  | { readonly type: 'auto' | 'any' | 'none' }
  | { readonly type: 'tool'; readonly name: string }

export interface ModelRequest {
  /** The id as configured or requested, without the provider's prefix. */
  readonly model: string
  readonly system?: string
  readonly messages: readonly HistoryMessage[]
  readonly tools: readonly ToolSpec[]
  /** Definitions of tools that the history may call and that are not offered: some providers want them declared. */
  readonly past_tools?: readonly ToolSpec[]
  readonly tool_choice?: ToolChoice
  readonly parallel_tool_calls?: boolean
  readonly max_tokens?: number
  /** Effort of thinking, as far as the model can. Settings in `options` take precedence. */
  readonly effort?: Effort
  /** The word in the tags of this session's notices, where the provider has no role for them. */
  readonly boundary?: string
  /** Provider-neutral and provider-specific settings as the request gave them (temperature, thinking, effort …). */
  readonly options?: Readonly<Record<string, unknown>>
}

/** One step of a model's message. `index` identifies the block, as the provider numbers it. */
export type ModelPart =
  | {
      readonly type: 'start'
      readonly provider_message_id: string
      readonly model: string
      readonly usage?: Usage
      /** Parts of the request that were omitted or changed for this provider. */
      readonly warnings?: readonly Warning[]
    }
  | {
      readonly type: 'block-start'
      readonly index: number
      readonly kind: BlockKind
      readonly tool?: { readonly id: string; readonly name: string }
      readonly data?: unknown
    }
  | {
      readonly type: 'block-delta'
      readonly index: number
      readonly text?: string
      readonly input_text?: string
      readonly thinking?: string
      readonly signature?: string
      readonly citation?: unknown
    }
  | { readonly type: 'block-end'; readonly index: number; readonly opaque?: Opaque }
  | {
      readonly type: 'end'
      readonly stop_reason: string
      readonly finish: Finish
      readonly stop_details?: unknown
      readonly usage: Usage
      readonly cost_usd?: number
      readonly request_id?: string
    }
  /** An attempt that said nothing but told usage, and is made again by the model itself. Before any other part. */
  | { readonly type: 'retry'; readonly error: Failure; readonly usage: Usage; readonly cost_usd?: number }
  /** `usage` is what the provider told before it broke off; absent when it told nothing. */
  | { readonly type: 'error'; readonly error: Failure; readonly usage?: Usage; readonly cost_usd?: number }

/** Tokens of a request before it is sent. */
export interface TokenCount {
  readonly input_tokens: number
  /** Estimated: the provider has no token-counting API. */
  readonly is_estimate: boolean
}

export interface Model {
  /** `provider` is kept in the log; `id` is what requests and answers name. */
  readonly provider: string
  readonly id: string
  /** Tokens that a request and its answer may have together, where it is known. */
  readonly context?: number
  /** False when the cost of a request cannot be known beforehand. */
  readonly isPriced?: boolean
  /** True while its provider fails again and again: other models of the request are asked first. */
  readonly isFailing?: () => boolean
  /** Ends with exactly one `end` or `error` part, also when aborted. Never throws. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart>
  /** Asks the provider where it counts, and estimates otherwise. Throws AppError when the provider refuses. */
  countTokens?(request: ModelRequest, signal: AbortSignal): Promise<TokenCount>
}

/** The model of a run, and those that are asked after it unless the request names others. */
export interface ModelChoice {
  readonly model: string
  readonly fallback_models?: readonly string[]
}

/** Chooses by the id that a run names, always alike for one session. */
export type ModelChooser = (id: string, session: string) => ModelChoice

/** Finds the model for an id. Throws `unknown_model` or `missing_key` with what to do about it. */
export type ModelFinder = (id: string) => Model

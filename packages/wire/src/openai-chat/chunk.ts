/** The shapes of a Chat Completions answer, streamed and whole. */
import type { PendingItem } from '@toolwire/core'
import type { Warning } from '../gateway/warning.ts'

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'function_call'

/** A source on the web, with the stretch of the answer that it is for. */
export interface Annotation {
  readonly type: 'url_citation'
  readonly url_citation: {
    readonly url: string
    readonly title: string
    readonly start_index: number
    readonly end_index: number
  }
}

export interface ChunkDelta {
  readonly role?: 'assistant'
  readonly content?: string | null
  readonly refusal?: string | null
  readonly reasoning_content?: string
  readonly annotations?: readonly Annotation[]
  readonly tool_calls?: readonly {
    readonly index: number
    readonly id?: string
    readonly type?: 'function'
    readonly function: { readonly name?: string; readonly arguments: string }
  }[]
  readonly function_call?: { readonly name?: string; readonly arguments: string }
}

export interface ChatUsage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly total_tokens: number
  readonly prompt_tokens_details: { readonly cached_tokens: number; readonly cache_write_tokens: number }
  readonly completion_tokens_details: { readonly reasoning_tokens: number }
}

/** Fields of both forms beyond the vendor's. */
interface Extra {
  readonly warnings?: readonly Warning[]
  /** Approvals and questions that the run waits for. */
  readonly pending?: readonly PendingItem[]
}

export interface ChatChunk extends Extra {
  readonly id: string
  readonly object: 'chat.completion.chunk'
  readonly created: number
  readonly model: string
  readonly choices: readonly {
    readonly index: 0
    readonly delta: ChunkDelta
    readonly logprobs: null
    readonly finish_reason: FinishReason | null
  }[]
  readonly usage?: ChatUsage | null
}

export interface ChatMessage {
  readonly role: 'assistant'
  readonly content: string | null
  readonly refusal: string | null
  readonly reasoning_content?: string
  readonly annotations?: readonly Annotation[]
  readonly tool_calls?: readonly {
    readonly id: string
    readonly type: 'function'
    readonly function: { readonly name: string; readonly arguments: string }
  }[]
  readonly function_call?: { readonly name: string; readonly arguments: string }
}

export interface ChatCompletion extends Extra {
  readonly id: string
  readonly object: 'chat.completion'
  readonly created: number
  readonly model: string
  readonly choices: readonly {
    readonly index: 0
    readonly message: ChatMessage
    readonly logprobs: null
    readonly finish_reason: FinishReason
  }[]
  readonly usage?: ChatUsage
}

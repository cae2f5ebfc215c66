/**
 * The Messages API as far as we speak it. Requests are typed strictly, because we write
 * them; stream events loosely, because others do, and a new field must break nothing.
 */
import type { JsonObject } from '@toolwire/core'

export interface CacheControl {
  readonly type: 'ephemeral'
  readonly ttl?: '1h'
}

type Source =
  | { readonly type: 'base64'; readonly media_type: string; readonly data: string }
  | { readonly type: 'url'; readonly url: string }
  | { readonly type: 'text'; readonly media_type: string; readonly data: string }

interface Cacheable {
  readonly cache_control?: CacheControl
}

export type TextBlock = Cacheable & {
  readonly type: 'text'
  readonly text: string
  readonly citations?: readonly unknown[]
}
export type ImageBlock = Cacheable & { readonly type: 'image'; readonly source: Source }
export type DocumentBlock = Cacheable & {
  readonly type: 'document'
  readonly source: Source
  readonly title?: string
}
export type ToolResultBlock = Cacheable & {
  readonly type: 'tool_result'
  readonly tool_use_id: string
  readonly content?: readonly (TextBlock | ImageBlock | DocumentBlock)[]
  readonly is_error?: boolean
}
export type UserBlock = TextBlock | ImageBlock | DocumentBlock | ToolResultBlock

export type AssistantBlock =
  | TextBlock
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: JsonObject }
  /** Redacted thinking and the provider's own tools, returned as they came. */
  | (JsonObject & { readonly type: string })

export type Message =
  | { readonly role: 'user'; readonly content: readonly UserBlock[] }
  | { readonly role: 'assistant'; readonly content: readonly AssistantBlock[] }
  /** Only right after a user's message, and not before another one. */
  | { readonly role: 'system'; readonly content: readonly TextBlock[] }

export interface ToolDefinition extends Cacheable {
  readonly name: string
  readonly description?: string
  readonly input_schema: JsonObject
  readonly strict?: boolean
  readonly eager_input_streaming?: boolean
}

export type ToolChoiceParam =
  | { readonly type: 'auto' | 'any'; readonly disable_parallel_tool_use?: boolean }
  | { readonly type: 'tool'; readonly name: string; readonly disable_parallel_tool_use?: boolean }
  | { readonly type: 'none' }

export interface MessagesBody {
  readonly model: string
  readonly max_tokens: number
  readonly stream: true
  readonly system?: readonly TextBlock[]
  readonly messages: readonly Message[]
  readonly tools?: readonly (ToolDefinition | JsonObject)[]
  readonly tool_choice?: ToolChoiceParam
  readonly thinking?: JsonObject
  readonly output_config?: JsonObject
  readonly temperature?: number
  readonly top_p?: number
  readonly top_k?: number
  readonly stop_sequences?: readonly string[]
  readonly metadata?: JsonObject
  readonly service_tier?: string
}

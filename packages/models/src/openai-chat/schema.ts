/** The Chat Completions API as far as we write it. What servers answer is read loosely (see stream.ts). */
import type { JsonObject } from '@toolwire/core'

export type UserContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } }
  | { readonly type: 'file'; readonly file: { readonly filename: string; readonly file_data: string } }
  | { readonly type: 'input_audio'; readonly input_audio: { readonly data: string; readonly format: string } }

export interface ToolCallParam {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
  /** As the provider attached it to this call. */
  readonly extra_content?: JsonObject
}

export type ChatMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string | readonly UserContentPart[] }
  | {
      readonly role: 'assistant'
      readonly content: string | null
      readonly tool_calls?: readonly ToolCallParam[]
      /** Some servers want their thinking back beside the calls it led to. */
      readonly reasoning_content?: string
      /** As the provider attached them to this message. */
      readonly reasoning_details?: readonly unknown[]
      readonly extra_content?: JsonObject
    }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string }

export interface FunctionTool {
  readonly type: 'function'
  readonly function: {
    readonly name: string
    readonly description?: string
    readonly parameters: JsonObject
    readonly strict?: boolean
  }
}

export interface ChatBody {
  readonly model: string
  readonly messages: readonly ChatMessage[]
  readonly stream: true
  readonly stream_options?: { readonly include_usage: true }
  readonly tools?: readonly FunctionTool[]
  readonly tool_choice?:
    | 'auto'
    | 'none'
    | 'required'
    | { readonly type: 'function'; readonly function: { readonly name: string } }
  readonly parallel_tool_calls?: boolean
  readonly max_tokens?: number
  readonly max_completion_tokens?: number
  /** Settings that go through as the request gave them. */
  readonly [setting: string]: unknown
}

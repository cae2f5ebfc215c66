/** The Responses API as far as we write it. Server output is parsed loosely (see stream.ts). */
import type { JsonObject } from '@toolwire/core'

export type InputContent =
  | { readonly type: 'input_text'; readonly text: string }
  | { readonly type: 'input_image'; readonly image_url: string; readonly detail: 'auto' }
  | {
      readonly type: 'input_file'
      readonly filename?: string
      readonly file_data?: string
      readonly file_url?: string
    }
  | { readonly type: 'input_audio'; readonly input_audio: { readonly data: string; readonly format: string } }

export type InputItem =
  | {
      readonly type: 'message'
      readonly role: 'user' | 'developer'
      readonly content: readonly InputContent[]
    }
  | {
      readonly type: 'message'
      readonly role: 'assistant'
      readonly phase?: string
      readonly content: readonly (
        | { readonly type: 'output_text'; readonly text: string; readonly annotations: readonly [] }
        | { readonly type: 'refusal'; readonly refusal: string }
      )[]
    }
  | {
      readonly type: 'function_call'
      readonly call_id: string
      readonly name: string
      readonly namespace?: string
      readonly arguments: string
    }
  | {
      readonly type: 'custom_tool_call'
      readonly call_id: string
      readonly name: string
      readonly input: string
    }
  | {
      readonly type: 'function_call_output' | 'custom_tool_call_output'
      readonly call_id: string
      readonly output: string | readonly InputContent[]
    }
  /** Items that go back as the same provider sent them: reasoning, its own tools. */
  | OwnItem

export interface OwnItem extends JsonObject {
  readonly type: string
}

export type ResponsesTool =
  | {
      readonly type: 'function'
      readonly name: string
      readonly description?: string
      readonly parameters: JsonObject
      readonly strict: boolean
    }
  | {
      readonly type: 'custom'
      readonly name: string
      readonly description?: string
      readonly format?: unknown
    }
  /** Tools that the provider runs, as its API defines them. */
  | JsonObject

export interface ResponsesBody {
  readonly model: string
  readonly instructions?: string
  readonly input: readonly InputItem[]
  readonly stream: true
  readonly store: false
  readonly include: readonly string[]
  readonly tools?: readonly ResponsesTool[]
  readonly tool_choice?: 'auto' | 'none' | 'required' | JsonObject
  readonly parallel_tool_calls?: boolean
  readonly max_output_tokens?: number
  /** Settings that are passed through as the request set them. */
  readonly [setting: string]: unknown
}

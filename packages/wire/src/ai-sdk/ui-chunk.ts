/** Chunks of the AI SDK's UI message stream that this wire sends, and their frames. */
import type { Frame } from '../wire.ts'

/** The major version of `ai` whose reader gets the stream; it rejects chunks that it does not know. */
export type Dialect = 5 | 6 | 7

export type UiFinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other'

/** The fields that every chunk of a call has; `providerExecuted` keeps the page from running the call itself. */
export interface CallFields {
  readonly toolCallId: string
  readonly dynamic: true
  readonly providerExecuted?: boolean
}

export type UiChunk =
  | { readonly type: 'start'; readonly messageId: string; readonly messageMetadata: object }
  | { readonly type: 'start-step' | 'finish-step' | 'reset-step' }
  | { readonly type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end'; readonly id: string }
  | { readonly type: 'text-delta' | 'reasoning-delta'; readonly id: string; readonly delta: string }
  | ({ readonly type: 'tool-input-start'; readonly toolName: string; readonly title?: string } & CallFields)
  | { readonly type: 'tool-input-delta'; readonly toolCallId: string; readonly inputTextDelta: string }
  | ({
      readonly type: 'tool-input-available'
      readonly toolName: string
      readonly input: unknown
      readonly title?: string
    } & CallFields)
  | ({
      readonly type: 'tool-input-error'
      readonly toolName: string
      readonly input: unknown
      readonly errorText: string
    } & CallFields)
  | {
      readonly type: 'tool-approval-request'
      readonly approvalId: string
      readonly toolCallId: string
      readonly reason?: string
    }
  | {
      readonly type: 'tool-approval-response'
      readonly approvalId: string
      readonly approved: boolean
      readonly reason?: string
    }
  | ({ readonly type: 'tool-output-available'; readonly output: unknown } & CallFields)
  | ({ readonly type: 'tool-output-error'; readonly errorText: string } & CallFields)
  | { readonly type: 'tool-output-denied'; readonly toolCallId: string }
  | { readonly type: DataName; readonly id: string; readonly data: object; readonly transient?: true }
  | { readonly type: 'finish'; readonly finishReason: UiFinishReason; readonly messageMetadata: object }
  | { readonly type: 'abort'; readonly reason: string }
  | { readonly type: 'error'; readonly errorText: string }

/** Data parts: pages of every version keep them, and draw those that they know. */
type DataName = 'data-approval' | 'data-question' | 'data-tool-progress' | 'data-agent' | 'data-delivery'

export const toFrame = (chunk: UiChunk): Frame => ({ data: JSON.stringify(chunk) })

/** The end of a complete response; one reader reports an interrupted stream without it. */
export const DONE = 'data: [DONE]\n\n'

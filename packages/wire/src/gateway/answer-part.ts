/**
 * The parts of one response of a vendor wire, before its own format. Invariant of every sequence that `stepAnswer` makes:
 * begin (open (delta | signature | citation)* close | hidden | search)* (finish | error), and nothing after the end.
 */
import type { Failure, Finish, Opaque, PendingItem, Usage, Warning } from '@toolwire/core'

export type AnswerPart =
  /** `seq` is the place of the run's first record: with the session it names the answer for ever. */
  | { readonly type: 'begin'; readonly seq: number; readonly ts: string; readonly model: string }
  | { readonly type: 'open'; readonly block: OpenBlock }
  | { readonly type: 'delta'; readonly text: string }
  | { readonly type: 'signature'; readonly signature: string }
  /** The source of the open block's text, as the provider sent it; after the text. */
  | { readonly type: 'citation'; readonly citation: Citation }
  | {
      readonly type: 'close'
      readonly block: OpenBlock
      readonly empty: boolean
      /** The block ended without its completion. */
      readonly cut?: true
      /** Data that the provider attached to the block. */
      readonly opaque?: Opaque
    }
  /** Thinking of which the provider shows nothing. */
  | { readonly type: 'hidden'; readonly opaque: Opaque }
  /** A web search that the server or the provider ran because the client asked for one. */
  | { readonly type: 'search'; readonly search: ServedSearch }
  | AnswerFinish
  | { readonly type: 'error'; readonly error: Failure; readonly usage: Usage }

export interface ServedSearch {
  readonly call_id: string
  readonly query: string
  readonly sources: readonly { readonly url: string; readonly title: string }[]
  readonly isFailed: boolean
  /** The code of the failure. */
  readonly error?: string
  /** The blocks of the Messages API that hold it are parts of the response, too. */
  readonly isNative?: true
}

export interface Citation {
  readonly type: string
  readonly [field: string]: unknown
}

export type OpenBlock =
  | { readonly kind: 'text' | 'thinking' | 'refusal' }
  | { readonly kind: 'redacted_thinking'; readonly data: unknown }
  /** A tool that the provider ran itself, whole; only its own wire can show it. */
  | { readonly kind: 'provider'; readonly data: unknown }
  | { readonly kind: 'call'; readonly call_id: string; readonly name: string }

export interface AnswerFinish {
  readonly type: 'finish'
  /** `tool_calls` only when the client has calls to run. */
  readonly reason: Finish | 'cancelled'
  /** The provider's own word for it. */
  readonly stop_reason: string | undefined
  readonly stop_details: unknown
  /** Of this answer alone; earlier answers of the same conversation are not counted again. */
  readonly usage: Usage
  /** Pending items that the client cannot answer on this wire: approvals, questions. */
  readonly waiting: readonly PendingItem[]
  /** Warnings for the client: parts that the provider did not accept, calls with invalid arguments. */
  readonly warnings: readonly Warning[]
}

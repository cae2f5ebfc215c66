/** The response object of the Responses API and the ids in it. Pure. */
import type { Usage } from '@toolwire/core'
import type { Warning } from '../gateway/warning.ts'
import type { ResponsesError } from './error-body.ts'

export type OutputItem = Readonly<Record<string, unknown>> & { readonly type: string; readonly id: string }

export type ResponseStatus = 'queued' | 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled'

export interface ResponseUsage {
  readonly input_tokens: number
  readonly input_tokens_details: { readonly cached_tokens: number; readonly cache_write_tokens: number }
  readonly output_tokens: number
  readonly output_tokens_details: { readonly reasoning_tokens: number }
  readonly total_tokens: number
}

export interface ResponseObject {
  readonly id: string
  readonly object: 'response'
  readonly created_at: number
  readonly completed_at: number | null
  readonly status: ResponseStatus
  readonly model: string
  readonly output: readonly OutputItem[]
  readonly error: ResponsesError | null
  readonly incomplete_details: { readonly reason: string } | null
  readonly usage: ResponseUsage | null
  readonly session_id: string
  readonly warnings?: readonly Warning[]
  readonly pending?: readonly unknown[]
  /** Fields of the request that a response repeats. */
  readonly [echo: string]: unknown
}

/** The id of the response whose run's first record is at `seq`. */
export const toResponseId = (session_id: string, seq: number): string => `resp_${session_id}_${seq}`

export interface ResponsePosition {
  readonly session_id: string
  readonly seq: number
}

/** Undefined for ids that this wire never made. */
export function readResponseId(id: string): ResponsePosition | undefined {
  const found = /^resp_([A-Za-z0-9_-]{1,128})_(\d{1,15})$/.exec(id)
  return found ? { session_id: found[1] ?? '', seq: Number(found[2]) } : undefined
}

/** The response that holds an item, by the item's id. */
export function readItemId(id: string): ResponsePosition | undefined {
  const found = /^[a-z]{2,3}_([A-Za-z0-9_-]{1,128})_(\d{1,15})_\d{1,6}$/.exec(id)
  return found ? { session_id: found[1] ?? '', seq: Number(found[2]) } : undefined
}

/** Input tokens include those that came from the cache and those that went into it. */
export function toResponseUsage(usage: Usage): ResponseUsage {
  const input_tokens = usage.input + usage.cache_read + usage.cache_write
  return {
    input_tokens,
    input_tokens_details: { cached_tokens: usage.cache_read, cache_write_tokens: usage.cache_write },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: input_tokens + usage.output,
  }
}

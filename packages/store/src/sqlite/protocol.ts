/** Messages between the store's main thread and its writer thread. One request is in flight at a time. */
import type { Seq, SessionPhase } from '@toolwire/core'

/** A row of `chunk`: `n` events from `seq` on, as one JSON array. */
export interface ChunkWrite {
  readonly session: number
  readonly seq: Seq
  readonly n: number
  readonly epoch: number
  /** The owner's write that it ends with; the session row need not hold it. */
  readonly w: number | null
  readonly json: string
}

/** The new standing of one session after the writes of one flush that touch more than its head. */
export interface SessionWrite {
  readonly num: number
  /** Present when the session is new. */
  created?: { readonly id: string; readonly at: number }
  head: Seq
  epoch: number
  wseq: number
  whead: Seq
  owner: string | null
  state: SessionPhase
  wakeAt: number | null
  updatedAt: number
  title?: string
  /** Labels to merge; null deletes. */
  labels?: Record<string, string | null>
  readonly texts: string[]
  readonly keys: { readonly key: string; readonly seq: Seq }[]
}

export interface Flush {
  readonly type: 'flush'
  /** True if the commit must reach the disk before the response. */
  readonly durable: boolean
  readonly chunks: readonly ChunkWrite[]
  readonly sessions: readonly SessionWrite[]
}

export type WriterRequest =
  | Flush
  | {
      readonly type: 'remove'
      readonly sessions: readonly { readonly num: number; readonly id: string }[]
      readonly at: number
    }
  | { readonly type: 'close' }

/** Sent without waiting for an answer: everything of the session up to `upTo` may be folded when there is time. */
export interface FoldRequest {
  readonly type: 'fold'
  readonly session: number
  readonly upTo: Seq
}

/** Sent without waiting for an answer. */
export interface CheckpointRequest {
  readonly type: 'checkpoint'
  readonly session: string
  readonly seq: Seq
  /** Undefined deletes the checkpoint. */
  readonly data: Uint8Array | undefined
}

export type WriterMessage = WriterRequest | FoldRequest | CheckpointRequest

export interface WriterFailure {
  /** SQLite's extended result code, 0 when the failure is not SQLite's. */
  readonly errcode: number
  readonly message: string
}

/** `null` answers a request that was carried out. */
export type WriterAnswer = null | WriterFailure

export interface WriterStart {
  readonly file: string
  readonly maxBytes: number | null
}

export type WriterStarted =
  | { readonly type: 'ready'; readonly nextNum: number; readonly wasLeftOpen: boolean }
  | {
      readonly type: 'refused'
      readonly code: 'store_unwritable' | 'store_corrupt' | 'store_newer' | 'store_unsupported'
      readonly message: string
    }

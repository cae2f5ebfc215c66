/** Collects frames or records in memory, for responses that are sent as a whole. */
import type { Rec } from '@toolwire/core'
import type { Frame, Wire } from '@toolwire/wire'
import type { Sink } from './sink.ts'

/** The client of a response that is sent as a whole. */
export type Client = Pick<Sink, 'isClosed' | 'onClose'>

/** A client that never leaves. */
export const PATIENT: Client = { isClosed: () => false, onClose: () => () => {} }

export interface CollectSink extends Sink {
  /** In log order. */
  readonly frames: readonly Frame[]
}

/** Keeps the frames that `accepts` accepts. */
export function collectSink(client: Client, accepts: (frame: Frame) => boolean = () => true): CollectSink {
  const frames: Frame[] = []
  return {
    ...toSink(client),
    frames,
    add(batch) {
      for (const frame of batch.frames) if (accepts(frame)) frames.push(frame)
      return false
    },
  }
}

/** Shows every record, without frames worth sending: for readers of records. */
export const recordWire: Wire = { id: 'records', memory: 'none', open: () => () => [{ data: '' }] }

/** Keeps the shown records. Follow with `recordWire`. */
export function recordSink(client: Client): Sink & { readonly records: readonly Rec[] } {
  const records: Rec[] = []
  return {
    ...toSink(client),
    records,
    add({ rec }) {
      records.push(rec)
      return false
    },
  }
}

const toSink = (client: Client) => ({
  isClosed: () => client.isClosed(),
  onClose: (listener: () => void) => client.onClose(listener),
  flush: () => undefined,
})

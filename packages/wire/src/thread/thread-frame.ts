/** Frames of the thread wire: the `event:` line repeats `type`, `type` is first and the time last. */
import type { Frame } from '../wire.ts'

/** Every event of this wire. A client may ignore the ones that it does not know. */
export type ThreadEventType =
  | `conversation.${'started' | 'data' | 'paused' | 'resumed' | 'completed' | 'canceled' | 'error'}`
  | `iteration.${'started' | 'completed'}`
  | 'model.in_progress'
  | `${'text' | 'reasoning' | 'refusal'}.${'started' | 'chunk' | 'completed'}`
  | `tool.${'preparing' | 'input.delta' | 'call' | 'execute' | 'approved' | 'denied'}`
  | `tool.${'progress' | 'error' | 'result'}`
  | `message_${'delivered' | 'withdrawn'}`

/** The fields of one event in the order in which they are sent; undefined ones are left out. */
export type ThreadFields = Readonly<Record<string, unknown>>

/** A frame of this wire. `ts` is the time of the event that it shows. */
export function toFrame(type: ThreadEventType, fields: ThreadFields, ts: string): Frame {
  return { event: type, data: JSON.stringify({ type, ...fields, timestamp: ts }) }
}

/** Shapes shared by event readers: the parts of an event that a view uses, by example. */

import type { EventOf, EventType, Failure, SessionEvent, ToolFailure, ToolView, Usage } from '../event.ts'
import {
  FLAG,
  fits,
  MAYBE_FLAG,
  MAYBE_NUMBER,
  MAYBE_TEXT,
  NUMBER,
  type Shape,
  type ShapeOf,
  TEXT,
} from './shape.ts'
import type { SessionView } from './view.ts'

/** One type of event: which of its fields a view takes over, and what becomes of it. No other field is read. */
export type EventReader<E extends SessionEvent> = readonly [
  reads: ShapeOf<E>,
  apply: (view: SessionView, ev: E) => SessionView,
]

export type EventReaders<T extends EventType> = { readonly [K in T]: EventReader<EventOf<K>> }

export const TEXTS = [TEXT]

export const USAGE: ShapeOf<Usage> = {
  input: NUMBER,
  output: NUMBER,
  cache_read: NUMBER,
  cache_write: NUMBER,
  cache_write_1h: MAYBE_NUMBER,
  cache_write_12h: MAYBE_NUMBER,
  reasoning: NUMBER,
  is_estimate: MAYBE_FLAG,
}
export const FAILURE: ShapeOf<Failure> = { code: TEXT, message: TEXT, retryable: FLAG }
export const TOOL_FAILURE: ShapeOf<ToolFailure> = { ...FAILURE, layer: TEXT }
export const TOOL_VIEW: ShapeOf<ToolView> = { title: MAYBE_TEXT, kind: MAYBE_TEXT }

/** An object whose `type` says which shape it has. One of a type that a newer server knows may hold anything. */
const byType = (shapes: Readonly<Record<string, Shape>>): ((value: unknown) => boolean) => {
  const known = new Map(Object.entries(shapes))
  return value => fits(value, TYPED) && fits(value, known.get((value as typeof TYPED).type) ?? {})
}
const TYPED = { type: TEXT }

const DATA = { media_type: TEXT, data: TEXT }
const FILE = {
  file_id: TEXT,
  sha256: MAYBE_TEXT,
  bytes: MAYBE_NUMBER,
  media_type: MAYBE_TEXT,
  filename: MAYBE_TEXT,
  problem: MAYBE_TEXT,
}
const MEDIA = {
  source: byType({ base64: DATA, text: DATA, url: { url: TEXT, media_type: MAYBE_TEXT }, file: FILE }),
  title: MAYBE_TEXT,
}
export const CONTENT = [
  byType({
    text: { text: TEXT, outside: MAYBE_TEXT },
    image: MEDIA,
    document: MEDIA,
    audio: MEDIA,
    file: MEDIA,
  }),
]

/**
 * One wire = one value of this type: a pure projector from log records to frames.
 * No I/O, no clock, no randomness. The server mounts it; the suites drive it from logs.
 */
import type { ConversationStart, Rec } from '@toolwire/core'

/** One server-sent event without its id. `data` is one line of JSON. */
export interface Frame {
  readonly event?: string
  readonly data: string
}

export const NO_FRAMES: readonly Frame[] = []

/** A pure fold. Stepping the same records gives the same frames, always. */
export interface Projection<State> {
  readonly initial: (context: ProjectionContext) => State
  readonly step: (state: State, rec: Rec) => readonly [State, readonly Frame[]]
  /** The state before the first record of a conversation, for projections that forget the earlier ones there. */
  readonly initialAt?: (context: ProjectionContext, start: ConversationStart) => State
}

export interface ProjectionContext {
  readonly session_id: string
  /** Wire-specific switches a request may set (for example opt-in events). */
  readonly options?: Readonly<Record<string, unknown>>
}

/** Steps one record and returns its frames. */
export type Stepper = (rec: Rec) => readonly Frame[]

/** A projection with its state type hidden, so that one list can hold all wires. */
export interface Wire {
  readonly id: string
  /** One stepper per reader, fed from the first record of the session, or from where `memory` allows it to start. */
  readonly open: (context: ProjectionContext) => Stepper
  /** As `open`, fed from the first record of the conversation. */
  readonly openAt?: (context: ProjectionContext, start: ConversationStart) => Stepper
  /** `none`: frames depend on their record alone. `answer`: on the records of their response. Absent: on all before. */
  readonly memory?: 'none' | 'answer'
  /** Written after the last frame of a complete response. */
  readonly end?: string
}

export function defineWire<State>(
  id: string,
  projection: Projection<State>,
  extra: Pick<Wire, 'end' | 'memory'> = {},
): Wire {
  const { initial, initialAt, step } = projection
  const start = (from: State): Stepper => {
    let state = from
    return rec => {
      const [next, frames] = step(state, rec)
      state = next
      return frames
    }
  }
  return {
    id,
    open: context => start(initial(context)),
    ...(initialAt ? { openAt: (context, at) => start(initialAt(context, at)) } : {}),
    ...extra,
  }
}

/** The wire with these options in every context. */
export function withOptions(wire: Wire, options: Readonly<Record<string, unknown>>): Wire {
  const { openAt } = wire
  const add = (context: ProjectionContext): ProjectionContext => ({
    ...context,
    options: { ...context.options, ...options },
  })
  return {
    ...wire,
    open: context => wire.open(add(context)),
    ...(openAt ? { openAt: (context, start) => openAt(add(context), start) } : {}),
  }
}

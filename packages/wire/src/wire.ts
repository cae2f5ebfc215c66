/**
 * One wire = one value of this type: a pure projector from log records to frames.
 * No I/O, no clock, no randomness. The server mounts it; the suites drive it from logs.
 */
import type { Rec } from '@toolwire/core'

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
}

export interface ProjectionContext {
  readonly session_id: string
  /** Wire-specific switches a request may set (for example opt-in events). */
  readonly options?: Readonly<Record<string, unknown>>
}

/** A projection's state after some record: give it to `openAt` to go on behind that record. Opaque, never changes. */
export type Checkpoint = { readonly state: unknown }

export interface Stepper {
  (rec: Rec): readonly Frame[]
  readonly checkpoint: () => Checkpoint
}

/** A projection with its state type hidden, so that wires can stand in one list. */
export interface Wire {
  readonly id: string
  /** Steps one record and returns its frames. One stepper per connection, fed from the first record of the session. */
  readonly open: (context: ProjectionContext) => (rec: Rec) => readonly Frame[]
  /** As `open`, from the start or behind a checkpoint of the same wire, session and options. */
  readonly openAt?: (context: ProjectionContext, from?: Checkpoint) => Stepper
  /** The frames of a record depend on that record alone: stepping may begin at any record. */
  readonly isStateless?: boolean
}

export function defineWire<State>(id: string, projection: Projection<State>): Wire {
  const openAt = (context: ProjectionContext, from?: Checkpoint): Stepper => {
    let state = from ? (from.state as State) : projection.initial(context)
    const step = (rec: Rec): readonly Frame[] => {
      const [next, frames] = projection.step(state, rec)
      state = next
      return frames
    }
    return Object.assign(step, { checkpoint: () => ({ state }) })
  }
  return { id, open: context => openAt(context), openAt }
}

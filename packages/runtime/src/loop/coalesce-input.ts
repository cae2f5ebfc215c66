/**
 * Deltas of a call's arguments, fewer and larger. Providers send a large input in tens of thousands of tiny
 * deltas, and clients that parse everything so far at each of them need quadratic time. A delta waits until
 * enough has gathered behind it or it has waited long enough; nothing else waits, and nothing is lost:
 * what is held goes out before any other event. Invariant: offsets stay gapless.
 */
import type { EventOf, SessionEvent } from '@toolwire/core'
import { mergeDelta } from './merge-delta.ts'

type EmitEvents = (...events: SessionEvent[]) => Promise<void> | undefined
type InputDelta = EventOf<'block.delta'>

export interface InputCoalescer {
  /** Emits in order; like the journal's `emit`, a promise asks to wait. */
  readonly emit: EmitEvents
  /** Lets go of what is held. Call it when no more comes, however that came about. Idempotent. */
  readonly flush: () => Promise<void> | undefined
}

const WAIT_MS = 50
const LEAST_CHARS = 256
/** With this share of what was sent, an input of any size needs a few hundred deltas. */
const SHARE = 64

/** Small inputs stay live: the first delta of a block goes at once, and so does one after a pause. */
export function coalesceInput(emit: EmitEvents): InputCoalescer {
  let held: InputDelta | undefined
  let block = ''
  let sent = 0
  let timer: NodeJS.Timeout | undefined

  function flush(): Promise<void> | undefined {
    clearTimeout(timer)
    timer = undefined
    if (!held) return undefined
    const delta = held
    held = undefined
    return send(delta)
  }

  function send(delta: InputDelta): Promise<void> | undefined {
    sent += delta.input_text?.length ?? 0
    timer = setTimeout(whenDue, WAIT_MS)
    timer.unref()
    return emit(delta)
  }

  function whenDue(): void {
    try {
      void flush()
    } catch {
      // The journal has failed: the next event of the message meets the same error.
    }
  }

  function take(delta: InputDelta): Promise<void> | undefined {
    if (delta.block_id !== block) {
      block = delta.block_id
      sent = 0
    }
    held = (held && mergeDelta(held, delta)) ?? delta
    const isEnough = (held.input_text?.length ?? 0) >= Math.max(LEAST_CHARS, sent / SHARE)
    return timer === undefined || isEnough ? flush() : undefined
  }

  return {
    flush,
    emit(...events) {
      const [only] = events
      const isInput = events.length === 1 && only?.type === 'block.delta' && Boolean(only.input_text)
      // Other events must not overtake the held one.
      if (isInput && (!held || held.block_id === only.block_id)) return take(only)
      void flush()
      return isInput ? take(only) : emit(...events)
    },
  }
}

/**
 * Decides the result of one write from the session's head. Pure rules shared by the stores that keep heads in
 * memory; packages/store/test/contract.ts defines them.
 */
import { type Append, type AppendResult, isPreview, type Seq, type SessionPhase } from '@toolwire/core'

/**
 * The head of a session. Owned and changed by one store; `wseq` and `whead` are the last owner write and its
 * result.
 */
export interface SessionHead {
  head: Seq
  epoch: number
  wseq: number
  whead: Seq
  owner: string | null
  state: SessionPhase
  wakeAt: number | null
  updatedAt: number
}

export type Lookup<S extends SessionHead> = S | 'never' | 'deleted'

/** The standing of a session that holds nothing yet. */
export const newStanding = (now: number): SessionHead => ({
  head: 0,
  epoch: 0,
  wseq: 0,
  whead: 0,
  owner: null,
  state: 'idle',
  wakeAt: null,
  updatedAt: now,
})

/**
 * The reason that `write` is rejected, or undefined if it must be stored (then call `applyAppend`). The
 * idempotency key is checked first, so that a retry gets the original result.
 */
export function checkAppend(
  found: Lookup<SessionHead>,
  write: Append,
  seqOfKey: (key: string) => Seq | undefined,
): AppendResult | undefined {
  if (found === 'deleted') return { missing: 'deleted' }
  if (found === 'never') return write.create === true ? refuseNew(write) : { missing: 'never' }
  const dup = write.key === undefined ? undefined : seqOfKey(write.key)
  if (dup !== undefined) return { dup }
  if (write.create === true) return { conflict: found.head }
  return refuseOwner(found, write) ?? refuseRelease(found, write)
}

/** Applies an accepted write. Returns the seq of its key: its first event, or the head if it has none. */
export function applyAppend(standing: SessionHead, write: Append, now: number): Seq {
  const first = write.events.length === 0 ? standing.head : standing.head + 1
  standing.head += write.events.length
  if (write.as) {
    standing.wseq = write.as.w
    standing.whead = standing.head
  }
  if (write.state !== undefined) standing.state = write.state
  if (write.releaseIfHead !== undefined) standing.owner = null
  if (write.index?.wakeAt !== undefined) standing.wakeAt = write.index.wakeAt
  if (!isPreviewOnly(write)) standing.updatedAt = now
  return first
}

/** Starts a new epoch for `node`. A due `wakeAt` is cleared; a later one stays. */
export function takeOver(standing: SessionHead, node: string, now: number): void {
  standing.owner = node
  standing.epoch += 1
  standing.wseq = 0
  standing.whead = 0
  standing.state = 'running'
  if (standing.wakeAt !== null && standing.wakeAt <= now) standing.wakeAt = null
}

/** An owner's write of previews and nothing else: it moves the head, and no other column of the session. */
export function isPreviewOnly(write: Append): boolean {
  return (
    write.as !== undefined &&
    write.key === undefined &&
    write.state === undefined &&
    write.index === undefined &&
    write.create === undefined &&
    write.releaseIfHead === undefined &&
    write.events.length > 0 &&
    write.events.every(ev => isPreview(ev.type))
  )
}

/** Nothing but that the owner gives the session up: no event, and no column that others rely on. */
export function isRelease(write: Append): boolean {
  return (
    write.as !== undefined &&
    write.releaseIfHead !== undefined &&
    write.key === undefined &&
    write.create === undefined &&
    write.index?.title === undefined &&
    write.index?.text === undefined &&
    write.events.length === 0
  )
}

function refuseNew(write: Append): AppendResult | undefined {
  const fresh = newStanding(0)
  return refuseOwner(fresh, write) ?? refuseRelease(fresh, write)
}

/** A gap in `w` means that an earlier write of this owner is not stored: this one must not overtake it. */
function refuseOwner(standing: SessionHead, write: Append): AppendResult | undefined {
  if (!write.as) return undefined
  const { epoch, w } = write.as
  if (epoch !== standing.epoch) return { fenced: standing.epoch }
  if (w === standing.wseq + 1) return undefined
  return w === standing.wseq ? { head: standing.whead } : { conflict: standing.head }
}

function refuseRelease(standing: SessionHead, write: Append): AppendResult | undefined {
  if (write.releaseIfHead === undefined || write.releaseIfHead === standing.head) return undefined
  return { conflict: standing.head }
}

/**
 * A node's right to act: renewed by every claim that the log answers, and over once four fifths of
 * its time have passed without one, on this process's monotonic clock. The log gives a dead node's
 * sessions away only after the whole time, so a node that cannot reach it stops before others begin.
 *
 * A claim that failed may have been carried out all the same, or be carried out late: for a while, looks for work also
 * ask for what it may have given, which would else be kept by a node that knows nothing of it.
 *
 * A node whose right is over never takes it up again: it goes on under a new name, and what it owned
 * under the old one is free for everybody, itself included.
 */
import type { ClaimedSession, SessionLog } from '@toolwire/core'

export interface Lease {
  /** Claims under the present name and, when answered, renews the right. Throws what the log throws. */
  readonly claim: (request: { readonly max: number; readonly session?: string }) => Promise<Claim>
  /** The present name. */
  readonly node: () => string
  /** Ends the right when its time is over. To be called often: a process that was stopped learns of it here. */
  readonly check: () => void
  /** Gives the right up at once, so that others need not wait for its end. Never throws. */
  readonly end: () => Promise<void>
}

interface Claim {
  readonly claimed: readonly ClaimedSession[]
  readonly hold: Ownership
}

/** The right under which something was claimed. */
export interface Ownership {
  /** Aborted when the right is over. */
  readonly signal: AbortSignal
  /** False from the moment the right is over, also before anybody was told. */
  readonly isCurrent: () => boolean
}

export interface LeaseOptions {
  readonly log: SessionLog
  readonly node: string
  readonly leaseMs: number
  /** Whether other processes use the same log; without them a right has no end. */
  readonly shared: boolean
  /** The sessions that are worked on here. */
  readonly known: () => readonly string[]
  /** Milliseconds that only grow. */
  readonly monotonic?: () => number
}

/** What is left of the time is for the clocks' rates to differ and for aborted work to end. */
const SAFE_PART = 0.8

interface LeaseTerm extends Ownership {
  readonly node: string
  readonly over: AbortController
  until: number
}

export function createLease(options: LeaseOptions): Lease {
  const { log, leaseMs, shared } = options
  const monotonic = options.monotonic ?? (() => performance.now())
  let names = 0
  let present = newName()
  let doubtUntil = Number.NEGATIVE_INFINITY

  function newName(): LeaseTerm {
    names += 1
    const over = new AbortController()
    const name: LeaseTerm = {
      node: names === 1 ? options.node : `${options.node}.${names}`,
      over,
      signal: over.signal,
      until: Number.POSITIVE_INFINITY,
      isCurrent: () => !over.signal.aborted && monotonic() < name.until,
    }
    return name
  }
  function check(): LeaseTerm {
    if (present.isCurrent()) return present
    const before = present
    present = newName()
    before.over.abort()
    return present
  }
  return {
    async claim(request) {
      const name = check()
      const asked = monotonic()
      const isInDoubt = request.session === undefined && asked < doubtUntil
      const known = isInDoubt ? { known: options.known() } : {}
      const claimed = await log
        .claim({ node: name.node, ttlMs: leaseMs, ...request, ...known })
        .catch(error => {
          doubtUntil = monotonic() + leaseMs
          throw error
        })
      // Counted from before the question: the log's own time began after it.
      if (shared && name.isCurrent()) name.until = Math.max(asked + leaseMs * SAFE_PART, later(name.until))
      return { claimed, hold: name }
    },
    node: () => check().node,
    check: () => void check(),
    async end() {
      present.over.abort()
      if (shared) await log.claim({ node: present.node, ttlMs: 0, max: 0 }).catch(() => {})
    },
  }
}

/** A right without an end has never been renewed: its first time counts. */
const later = (until: number): number => (until === Number.POSITIVE_INFINITY ? 0 : until)

/**
 * A node's lease: renewed by every claim that the log confirms, and expired once four fifths of its time have
 * passed without one, on this process's monotonic clock. The log reassigns a dead node's sessions only after the
 * whole time, so a node that cannot reach it stops before others start. A failed claim may still have been
 * executed, also late: for a while, claims also ask for its sessions, which would otherwise stay with a node that
 * does not know them. An expired lease is never renewed; the node continues under a new id, and its old sessions
 * are free for every node.
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
  /** False from the moment the lease has expired, also before any notification. */
  readonly isCurrent: () => boolean
}

export interface LeaseOptions {
  readonly log: SessionLog
  readonly node: string
  readonly leaseMs: number
  /** True if other processes use the same log; without them a lease has no end. */
  readonly shared: boolean
  /** The sessions that are worked on here. */
  readonly known: () => readonly string[]
  /** Milliseconds that only grow. */
  readonly monotonic?: () => number
}

/** The rest of the time allows for clock drift and for aborted work to end. */
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

/** Renews the lease and claims unowned sessions: abandoned runs and due wake-ups. */
import { AppError, type ClaimedSession } from '@toolwire/core'
import type { Lease, Ownership } from './lease.ts'

/** A session and the right under which it was claimed. */
export interface OwnedSession {
  readonly claimed: ClaimedSession
  readonly hold: Ownership
}

export interface SessionClaimer {
  /** Looks once, then again and again. Throws what the log throws the first time. */
  readonly start: () => Promise<void>
  /** From now on only the lease is renewed. */
  readonly stopClaiming: () => void
  /** Resolves when no claim is in flight. */
  readonly stop: () => Promise<void>
  /** Reports an error; that a shared log is away is reported once, not at every look. */
  readonly report: (error: unknown, session: string) => void
}

export interface LookoutOptions {
  readonly lease: Lease
  readonly leaseMs: number
  readonly shared: boolean
  readonly take: (owned: OwnedSession) => void
  readonly onError: (error: unknown, session: string) => void
}

/** Sessions per claim. */
const CLAIM = 100
/** Between looks, at most: take-over waits for the lease and this. */
const LOOK_MS = 500
/** Between looks at the lease, at most. */
const LEASE_CHECK_MS = 200

export function createSessionClaimer(options: LookoutOptions): SessionClaimer {
  const { lease, leaseMs, shared, take, onError } = options
  let timers: readonly NodeJS.Timeout[] = []
  let looking: Promise<void> | undefined
  let most = CLAIM
  let isAway = false
  let stopped = false

  async function lookOnce(): Promise<void> {
    for (;;) {
      const { claimed, hold } = await lease.claim({ max: most })
      isAway = false
      for (const one of claimed) take({ claimed: one, hold })
      if (claimed.length < CLAIM) return
    }
  }
  function report(error: unknown, session: string): void {
    const away = shared && AppError.is(error) && error.code === 'storage_error'
    if (!stopped && !(away && isAway)) onError(error, session)
    isAway ||= away
  }
  function look(): void {
    looking ??= lookOnce()
      .catch(error => report(error, '*'))
      .finally(() => {
        looking = undefined
      })
  }
  return {
    report,
    async start() {
      await lookOnce()
      const lookMs = shared ? Math.min(leaseMs / 3, LOOK_MS) : leaseMs / 3
      const checkMs = Math.min(leaseMs / 20, LEASE_CHECK_MS)
      timers = [setInterval(look, lookMs), ...(shared ? [setInterval(lease.check, checkMs)] : [])]
      for (const timer of timers) timer.unref()
    },
    stopClaiming() {
      most = 0
    },
    async stop() {
      stopped = true
      for (const timer of timers) clearInterval(timer)
      await looking
    },
  }
}

/** Claims one session by name; undefined when it has another owner or does not exist. Throws what the log throws. */
export async function claimSession(lease: Lease, session: string): Promise<OwnedSession | undefined> {
  const { claimed, hold } = await lease.claim({ max: 1, session })
  return claimed[0] && { claimed: claimed[0], hold }
}

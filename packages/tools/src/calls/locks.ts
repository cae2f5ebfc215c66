/**
 * Orders calls that touch the same things and lets all others run together.
 * Invariant: a ticket proceeds only when no earlier ticket that conflicts with it is left,
 * so conflicting calls keep the order in which they entered. One table serves the whole
 * process: files are shared by all sessions, everything else belongs to its session.
 */
import type { Access } from '@toolwire/core'

export interface Ticket {
  readonly id: string
  readonly session: string
  /** Whose call it is, in the whole process. */
  readonly agent: string
  readonly access: readonly Access[]
}

/** `go` may run now; `held` must come after waiting calls; `aborted` gave up waiting. */
type LockResult =
  | { readonly type: 'go' }
  | { readonly type: 'held'; readonly after: readonly string[] }
  | { readonly type: 'aborted' }

export interface LockSlot {
  /** Resolves when it is this ticket's turn. */
  readonly turn: (signal: AbortSignal) => Promise<LockResult>
  /** True if it may run at once. */
  readonly isFree: () => boolean
  /** The tickets of its own session that it must currently come after. */
  readonly behind: () => readonly string[]
  /** Lets later tickets go. Idempotent. */
  readonly leave: () => void
  /** Waits for an external answer: later conflicting tickets of the session are held, not kept waiting. */
  readonly park: () => void
}

export interface Locks {
  /** Takes a place in the queue, synchronously. The caller leaves it. */
  readonly enter: (ticket: Ticket) => LockSlot
}

interface LockEntry extends Ticket {
  parked: readonly string[] | undefined
  wake: () => void
}

export function createLocks(): Locks {
  const queue = new Set<LockEntry>()

  function state(entry: LockEntry): LockResult | undefined {
    const before = earlier(entry)
    const parked = before.flatMap(other => other.parked ?? [])
    if (parked.length > 0) return { type: 'held', after: [...new Set(parked)] }
    return before.length === 0 ? { type: 'go' } : undefined
  }

  function earlier(entry: LockEntry): readonly LockEntry[] {
    const before: LockEntry[] = []
    for (const other of queue) {
      if (other === entry) break
      // A waiting call holds back its own agent's later calls; another agent cannot know its answer.
      if (other.parked && other.agent !== entry.agent) continue
      if (conflicts(other, entry)) before.push(other)
    }
    return before
  }

  function wakeAll(): void {
    for (const entry of queue) entry.wake()
  }

  function enter(ticket: Ticket): LockSlot {
    const entry: LockEntry = { ...ticket, parked: undefined, wake: () => {} }
    queue.add(entry)
    return {
      isFree: () => state(entry)?.type === 'go',
      behind: () => earlier(entry).flatMap(other => (other.session === entry.session ? [other.id] : [])),
      turn: signal => waitFor(entry, signal),
      leave() {
        if (queue.delete(entry)) wakeAll()
      },
      park() {
        entry.parked = [ticket.id]
        wakeAll()
      },
    }
  }

  function waitFor(entry: LockEntry, signal: AbortSignal): Promise<LockResult> {
    return new Promise(resolve => {
      const check = (): void => {
        const now: LockResult | undefined = signal.aborted ? { type: 'aborted' } : state(entry)
        if (!now) return
        signal.removeEventListener('abort', check)
        entry.wake = () => {}
        // A held call also holds those behind it, for the same reason.
        if (now.type === 'held') entry.parked = now.after
        resolve(now)
      }
      entry.wake = check
      signal.addEventListener('abort', check)
      check()
    })
  }
  return { enter }
}

const conflicts = (a: Ticket, b: Ticket): boolean => overlaps(a.access, b.access, a.session === b.session)

/** True if two calls use the same resource and one of them changes it. */
export function overlaps(a: readonly Access[], b: readonly Access[], sameSession = true): boolean {
  return a.some(x =>
    b.some(y => (x.mode === 'write' || y.mode === 'write') && overlap(x.key, y.key, sameSession)),
  )
}

function overlap(a: string, b: string, sameSession: boolean): boolean {
  const path = pathOf(a)
  const other = pathOf(b)
  if (path !== undefined && other !== undefined) {
    if (path === other) return true
    return (a.startsWith('tree:') && isBelow(other, path)) || (b.startsWith('tree:') && isBelow(path, other))
  }
  return sameSession && (a === '*' || b === '*' || a === b)
}

const pathOf = (key: string): string | undefined => /^(?:file|tree):(.*)$/s.exec(key)?.[1]
const isBelow = (path: string, dir: string): boolean => path.startsWith(dir.endsWith('/') ? dir : `${dir}/`)

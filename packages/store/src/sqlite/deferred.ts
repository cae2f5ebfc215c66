/**
 * Claims and releases that are not in the database yet: they apply here at once and are written with the next
 * flush, or soon by themselves. They may be lost with the process; the next process then finds the session as it
 * was before: work to claim again, or an idle session.
 */
import type { ListQuery, SessionRow } from '@toolwire/core'
import type { SessionHead } from '../append-rules.ts'

type Labels = Readonly<Record<string, string | null>>

/** The head of a session when it was claimed or released. */
export interface DeferredStanding {
  readonly id: string
  readonly standing: SessionHead
  readonly labels: Labels
}

export interface DeferredClaims {
  /** Stores the current head of `live`; labels are merged with pending ones. */
  readonly put: (live: SessionHead & { readonly num: number; readonly id: string }, labels?: Labels) => void
  readonly of: (id: string) => DeferredStanding | undefined
  readonly isEmpty: () => boolean
  /** Everything that waits now. */
  readonly all: () => readonly DeferredStanding[]
  /** These are in the database; what was put since stays. */
  readonly settle: (told: readonly DeferredStanding[]) => void
  readonly drop: (id: string) => void
}

export function createDeferred(): DeferredClaims {
  const waiting = new Map<string, DeferredStanding>()
  return {
    put(live, labels = {}) {
      const { num: _, id, ...standing } = live
      waiting.set(id, { id, standing, labels: { ...waiting.get(id)?.labels, ...labels } })
    },
    of: id => waiting.get(id),
    isEmpty: () => waiting.size === 0,
    all: () => [...waiting.values()],
    settle(told) {
      for (const one of told) if (waiting.get(one.id) === one) waiting.delete(one.id)
    },
    drop: id => void waiting.delete(id),
  }
}

/** True if rows of the result may be updated one by one: only then is the result the same. */
export function canApplyDeferred(deferred: DeferredClaims, query: ListQuery): boolean {
  if (deferred.isEmpty()) return true
  const [id, ...others] = query.ids ?? []
  if (id === undefined || others.length > 0 || query.state !== undefined) return false
  const changed = deferred.of(id)?.labels ?? {}
  return Object.keys(query.labels ?? {}).every(name => !(name in changed))
}

/** The row as it will be. */
export function applyDeferred(row: SessionRow, waiting: DeferredStanding | undefined): SessionRow {
  if (!waiting) return row
  const { head, epoch, owner, state, wakeAt, updatedAt } = waiting.standing
  const labels = { ...row.labels }
  for (const [name, value] of Object.entries(waiting.labels))
    if (value === null) delete labels[name]
    else labels[name] = value
  return { ...row, head: Math.max(row.head, head), epoch, owner, state, wakeAt, updatedAt, labels }
}

/** `standing` when it is later than the one that was loaded. */
export function laterOf<S extends SessionHead>(loaded: S, waiting: DeferredStanding | undefined): S {
  if (!waiting) return loaded
  const { standing } = waiting
  const isLater =
    standing.epoch > loaded.epoch || (standing.epoch === loaded.epoch && standing.wseq > loaded.wseq)
  return isLater ? { ...loaded, ...standing, head: Math.max(loaded.head, standing.head) } : loaded
}

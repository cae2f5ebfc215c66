/**
 * Session heads, cached because this process is the only writer. Loaded from the database; ahead of it only for
 * the flush in flight. If that fails, its sessions are dropped.
 */
import type { Lookup } from '../append-rules.ts'
import { newStanding } from '../append-rules.ts'
import type { DeferredClaims } from './deferred.ts'
import type { Live, Reader } from './reader.ts'
import type { UnflushedPreviews } from './unsettled.ts'

export interface SessionCache {
  readonly find: (id: string) => Lookup<Live>
  /** The number of a session's rows, without loading the session. */
  readonly numOf: (id: string) => number | undefined
  readonly create: (id: string, now: number) => Live
  readonly drop: (id: string) => void
  /** Forgets the sessions loaded first when there are too many. Only between flushes. */
  readonly trim: () => void
}

const MAX_SESSIONS = 8192

export function createSessionCache(
  reader: Reader,
  { unsettled, deferred }: { readonly unsettled: UnflushedPreviews; readonly deferred: DeferredClaims },
  firstNum: number,
): SessionCache {
  const sessions = new Map<string, Live>()
  let nextNum = firstNum
  return {
    find(id) {
      const known = sessions.get(id)
      if (known) return known
      const loaded = reader.loadSession(id, unsettled.of(id).at(-1), deferred.of(id))
      if (!loaded) return reader.isDeleted(id) ? 'deleted' : 'never'
      sessions.set(id, loaded)
      return loaded
    },
    numOf: id => sessions.get(id)?.num ?? reader.numOf(id),
    create(id, now) {
      const live: Live = { ...newStanding(now), num: nextNum++, id }
      sessions.set(id, live)
      return live
    },
    drop: id => {
      sessions.delete(id)
    },
    trim() {
      if (sessions.size <= MAX_SESSIONS) return
      for (const id of sessions.keys()) {
        if (sessions.size <= MAX_SESSIONS / 2) return
        sessions.delete(id)
      }
    },
  }
}

/**
 * Claims and releases to be written, each with its session's previews: no row may announce an end that is not
 * stored.
 */
import type { Seq } from '@toolwire/core'
import { toChunks, toStanding } from './batch.ts'
import type { DeferredClaims } from './deferred.ts'
import type { ChunkWrite, SessionWrite } from './protocol.ts'
import type { SessionCache } from './session-cache.ts'
import type { UnflushedPreviews } from './unsettled.ts'

export interface DeferredWrites {
  readonly chunks: readonly ChunkWrite[]
  readonly sessions: readonly SessionWrite[]
  /** To be called when these, and the rows of `own`, are committed. */
  readonly done: () => void
}

/** `own` are the sessions whose rows the flush writes anyway. */
export function collectDeferredWrites(
  {
    cache,
    unsettled,
    deferred,
  }: {
    readonly cache: SessionCache
    readonly unsettled: UnflushedPreviews
    readonly deferred: DeferredClaims
  },
  own: readonly string[] = [],
): DeferredWrites {
  const told = deferred.all()
  const chunks: ChunkWrite[] = []
  const sessions: SessionWrite[] = []
  const ends: (readonly [id: string, end: Seq])[] = []
  const isOwn = new Set(own)
  for (const { id, labels } of told) {
    const live = isOwn.has(id) ? 'never' : cache.find(id)
    if (typeof live === 'string') continue
    const entries = unsettled.of(id)
    chunks.push(...toChunks(entries))
    sessions.push({ num: live.num, ...toStanding(live), labels: { ...labels }, texts: [], keys: [] })
    ends.push([id, live.head])
  }
  return {
    chunks,
    sessions,
    done() {
      deferred.settle(told)
      for (const [id, end] of ends) unsettled.settle(id, end)
    },
  }
}

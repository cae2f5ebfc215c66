/**
 * Latency of an event from its creation on one node to a reader in another process. Events are made at a steady
 * pace: those made while an append is in flight go with the next.
 */
import type { EventOf, Store } from '@toolwire/core'
import { startMeasured } from './child.ts'
import { type Owned, own, sampleDelta } from './postgres-sessions.ts'
import type { TailReport } from './postgres-tail-reader.ts'

export interface Tail {
  readonly rate: number
  /** Events per second that were really made. */
  readonly made: number
  readonly times: readonly number[]
}

interface Pace {
  readonly rate: number
  readonly seconds: number
}

/** A model that streams gives about this many deltas a second. */
const PER_SESSION = 50
const TICK_MS = 5

/** The writing node is `store`, the reading one is started on the same database. Throws at a gap or a loss. */
export async function measureTail(store: Store, url: string, pace: Pace): Promise<Tail> {
  const reader = await startMeasured<TailReport>('./postgres-tail-reader.ts', { env: { DATABASE_URL: url } })
  try {
    const sessions = await own(store, Math.max(1, Math.round(pace.rate / PER_SESSION)))
    const made = await makePaced(store, sessions, pace)
    let report = await reader.report()
    while (report.gaps === 0 && report.times.length < made) {
      await pause(50)
      report = await reader.report()
    }
    if (report.gaps > 0 || report.times.length > made)
      throw new Error(`${report.gaps} gaps, ${report.times.length} events read, ${made} made`)
    return { rate: pace.rate, made: made / pace.seconds, times: report.times }
  } finally {
    await reader.stop()
  }
}

/** Returns how many were made; all of them are stored then. */
async function makePaced(store: Store, sessions: readonly Owned[], { rate, seconds }: Pace): Promise<number> {
  const waiting = sessions.map((): EventOf<'block.delta'>[] => [])
  const busy = sessions.map((): Promise<void> | undefined => undefined)
  async function send(at: number, session: Owned): Promise<void> {
    for (let events = waiting[at] ?? []; events.length > 0; events = waiting[at] ?? []) {
      waiting[at] = []
      session.w += 1
      const as = { epoch: session.epoch, w: session.w }
      const [answer] = await store.append([{ session: session.id, as, events }])
      if (!answer || !('head' in answer)) throw new Error(`an append was answered ${JSON.stringify(answer)}`)
    }
    busy[at] = undefined
  }
  const total = Math.round(rate * seconds)
  const began = performance.now()
  for (let made = 0; made < total; ) {
    const due = Math.min(total, Math.floor(((performance.now() - began) / 1000) * rate))
    for (; made < due; made++) {
      const at = made % sessions.length
      const session = sessions[at]
      waiting[at]?.push(sampleDelta(Date.now()))
      if (session) busy[at] ??= send(at, session)
    }
    await pause(TICK_MS)
  }
  await Promise.all(busy)
  return total
}

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))

/**
 * Latency that a server adds to a delta: many streams at the pace of a real model, every delta stamped by the
 * provider when it writes it. The provider alone, called directly, is the base.
 */
import type { Contestant } from './contestant.ts'
import { runLoad } from './readers.ts'
import { MESSAGES } from './road.ts'
import { gatherSamples, type Row } from './samples.ts'
import { median, quantile } from './statistics.ts'
import { takeTurns } from './take-turns.ts'

export interface LatencyLoad {
  readonly streams: number
  readonly deltas: number
  readonly paceMs: number
}

/** All in milliseconds, and on top of what the provider alone takes. */
export type LatencyFigure = 'p50_ms' | 'p99_ms' | 'first_p50_ms'

const STAMPED = 48
/**
 * One row per contestant and route. The same number of deltas runs first as warm-up: the measurement covers
 * compiled code.
 */
export async function latency(
  contestants: readonly Contestant[],
  load: LatencyLoad,
  rounds: number,
): Promise<readonly Row<LatencyFigure>[]> {
  const samples = gatherSamples<LatencyFigure>('p50_ms', 'p99_ms', 'first_p50_ms')
  const { streams, deltas: d, paceMs: w } = load
  const paced = { streams, knobs: { d, w, s: 1, b: STAMPED }, rampMs: (d * w) / 2 }
  await takeTurns(
    contestants,
    rounds,
    async ({ contestant, subject, upstream }) => {
      const base = await runLoad({ url: upstream }, MESSAGES, {
        ...paced,
        knobs: { ...paced.knobs, d: Math.min(d, 20) },
      })
      for (const road of contestant.roads(upstream).filter(({ aside }) => !aside)) {
        const row = samples.row(contestant, road.name, streams)
        await runLoad(subject, road, paced)
        const { delay_ms, first_ms } = await runLoad(subject, road, paced)
        if (delay_ms.length === 0) throw new Error('no stamped delta arrived')
        samples.add(row, {
          p50_ms: quantile(delay_ms, 0.5) - quantile(base.delay_ms, 0.5),
          p99_ms: quantile(delay_ms, 0.99) - quantile(base.delay_ms, 0.5),
          first_p50_ms: median(first_ms) - median(base.first_ms),
        })
      }
    },
    (contestant, why) => {
      samples.row(contestant, '', streams).failure = why
    },
  )
  return samples.rows()
}

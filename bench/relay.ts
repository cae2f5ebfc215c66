/**
 * Cost of relaying a delta: the provider writes it on a socket, the measured server reads, stores and projects it,
 * a reader receives it. CPU of the server's process at saturation.
 */
import type { Contestant } from './contestant.ts'
import { cpuMicros } from './process-meter.ts'
import { runLoad } from './readers.ts'
import type { Road } from './road.ts'
import { gatherSamples, type Row, type Samples } from './samples.ts'
import type { Subject } from './spawn-subject.ts'
import { takeTurns } from './take-turns.ts'

export interface RelayLevel {
  readonly streams: number
  readonly deltas: number
}

export type RelayFigure = 'cpu_us_per_delta' | 'deltas_per_second'

/** Enough for the compiler to have seen everything. */
const WARM_STREAMS = 60

/** One row per contestant, route and level. */
export async function relay(
  contestants: readonly Contestant[],
  levels: readonly RelayLevel[],
  rounds: number,
): Promise<readonly Row<RelayFigure>[]> {
  const samples = gatherSamples<RelayFigure>('cpu_us_per_delta', 'deltas_per_second')
  await takeTurns(
    contestants,
    rounds,
    async ({ contestant, subject, upstream }) => {
      for (const road of contestant.roads(upstream))
        for (const level of levels) await measure({ contestant, subject, road }, level, samples)
    },
    (contestant, why) => {
      samples.row(contestant, '', 0).failure = why
    },
  )
  return samples.rows()
}

interface Pair {
  readonly contestant: Contestant
  readonly subject: Subject
  readonly road: Road
}

async function measure(
  { contestant, subject, road }: Pair,
  { streams, deltas }: RelayLevel,
  samples: Samples<RelayFigure>,
): Promise<void> {
  const row = samples.row(contestant, road.name, streams)
  const d = Math.max(10, Math.ceil(deltas / contestant.slow))
  try {
    await runLoad(subject, road, { streams: Math.min(WARM_STREAMS, streams), knobs: { d: Math.min(d, 200) } })
    let before = 0
    const { wall_ms } = await runLoad(subject, road, { streams, knobs: { d } }, () => {
      before = cpuMicros(subject.pid)
    })
    samples.add(row, {
      cpu_us_per_delta: (cpuMicros(subject.pid) - before) / (streams * d),
      deltas_per_second: (1000 * streams * d) / wall_ms,
    })
  } catch (error) {
    row.failure = error instanceof Error ? error.message : String(error)
  }
}

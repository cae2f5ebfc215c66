/**
 * Cost of a delta at the pace of a model: many streams, each with pauses between its deltas, so that nothing can be
 * joined by chance. CPU of the server's process tree, with the bytes and frames that it sent for each delta beside it.
 */
import type { Contestant } from './contestant.ts'
import { cpuMicros } from './process-meter.ts'
import { runLoad } from './readers.ts'
import { gatherSamples, type Row } from './samples.ts'
import { median } from './statistics.ts'
import { takeTurns } from './take-turns.ts'

export interface PacedLoad {
  readonly streams: number
  readonly deltas: number
  readonly paceMs: number
}

export type PacedResult = 'cpu_us_per_delta' | 'bytes_per_delta' | 'frames_per_delta' | 'first_ms'

/** One row per contestant and route. */
export async function paced(
  contestants: readonly Contestant[],
  { streams, deltas: d, paceMs: w }: PacedLoad,
  rounds: number,
): Promise<readonly Row<PacedResult>[]> {
  const samples = gatherSamples<PacedResult>(
    'cpu_us_per_delta',
    'bytes_per_delta',
    'frames_per_delta',
    'first_ms',
  )
  const load = { streams, knobs: { d, w }, rampMs: (d * w) / 4 }
  await takeTurns(
    contestants,
    rounds,
    async ({ contestant, subject, upstream }) => {
      for (const road of contestant.roads(upstream).filter(({ aside }) => !aside)) {
        await runLoad(subject, road, load)
        let before = 0
        const { bytes, frames, first_ms } = await runLoad(subject, road, load, () => {
          before = cpuMicros(subject.pid)
        })
        samples.add(samples.row(contestant, road.name, streams), {
          cpu_us_per_delta: (cpuMicros(subject.pid) - before) / (streams * d),
          bytes_per_delta: bytes / (streams * d),
          frames_per_delta: frames / (streams * d),
          first_ms: median(first_ms),
        })
      }
    },
    (contestant, why) => {
      samples.row(contestant, '', streams).failure = why
    },
  )
  return samples.rows()
}

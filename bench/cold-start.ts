/** From the start of a server's process until its port is open, and until it has said its first word. */
import type { Contestant } from './contestant.ts'
import { residentBytes } from './process-meter.ts'
import { runLoad } from './readers.ts'
import { gatherSamples, type Row } from './samples.ts'
import { median } from './statistics.ts'
import { takeTurns } from './take-turns.ts'

export type ColdStartFigure = 'listen_ms' | 'first_answer_ms' | 'resident_mb'

/** One row per contestant, over its first road. */
export async function coldStart(
  contestants: readonly Contestant[],
  rounds: number,
): Promise<readonly Row<ColdStartFigure>[]> {
  const samples = gatherSamples<ColdStartFigure>('listen_ms', 'first_answer_ms', 'resident_mb')
  await takeTurns(
    contestants,
    rounds,
    async ({ contestant, subject, upstream }) => {
      const [road] = contestant.roads(upstream)
      if (!road) return
      const { first_ms } = await runLoad(subject, road, { streams: 1, knobs: { d: 1 } })
      samples.add(samples.row(contestant, road.name, 1), {
        listen_ms: subject.listen_ms,
        first_answer_ms: median(first_ms),
        resident_mb: residentBytes(subject.pid) / 1e6,
      })
    },
    (contestant, why) => {
      samples.row(contestant, '', 1).failure = why
    },
  )
  return samples.rows()
}

/** Resident memory of a server per open stream: so many streams that say a word a second, then the difference. */
import type { Contestant } from './contestant.ts'
import { residentBytes } from './process-meter.ts'
import { holdOpen, runLoad } from './readers.ts'
import { gatherSamples, type Row } from './samples.ts'
import { takeTurns } from './take-turns.ts'

export type MemoryFigure = 'kb_per_stream' | 'resident_mb'

const WORD_EVERY_MS = 1000

/** One row per contestant, over its first road. `holdMs` is how long the streams stay open before the figure is taken. */
export async function memory(
  contestants: readonly Contestant[],
  { streams, holdMs }: { readonly streams: number; readonly holdMs: number },
  rounds: number,
): Promise<readonly Row<MemoryFigure>[]> {
  const samples = gatherSamples<MemoryFigure>('kb_per_stream', 'resident_mb')
  await takeTurns(
    contestants,
    rounds,
    async ({ contestant, subject, upstream }) => {
      const [road] = contestant.roads(upstream)
      if (!road || road.aside) return
      await runLoad(subject, road, { streams: Math.min(50, streams), knobs: { d: 200 } })
      await pause(holdMs / 4)
      const before = residentBytes(subject.pid)
      const close = await holdOpen(subject, road, { streams, knobs: { d: 1000, w: WORD_EVERY_MS } })
      try {
        await pause(holdMs)
        const after = residentBytes(subject.pid)
        samples.add(samples.row(contestant, road.name, streams), {
          kb_per_stream: (after - before) / 1000 / streams,
          resident_mb: after / 1e6,
        })
      } finally {
        close()
      }
    },
    (contestant, why) => {
      samples.row(contestant, '', streams).failure = why
    },
  )
  return samples.rows()
}

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))

/**
 * Resident memory of a server per open stream: so many streams that say a word a second, then the difference. What one
 * moment shows depends on how long ago the engine collected, so it is looked at many times.
 */
import type { Contestant } from './contestant.ts'
import { residentBytes } from './process-meter.ts'
import { holdOpen, runLoad } from './readers.ts'
import { gatherSamples, type Row } from './samples.ts'
import { takeTurns } from './take-turns.ts'

export type MemoryFigure = 'kb_per_stream' | 'most_kb_per_stream' | 'resident_mb'

const WORD_EVERY_MS = 1000

const LOOKS = 40

/**
 * One row per contestant, over its first route: mean and maximum of the second half of `holdMs`, in which all
 * streams are open.
 */
export async function memory(
  contestants: readonly Contestant[],
  { streams, holdMs }: { readonly streams: number; readonly holdMs: number },
  rounds: number,
): Promise<readonly Row<MemoryFigure>[]> {
  const samples = gatherSamples<MemoryFigure>('kb_per_stream', 'most_kb_per_stream', 'resident_mb')
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
        await pause(holdMs / 2)
        const looks = await look(() => residentBytes(subject.pid), holdMs / 2)
        const mean = looks.reduce((sum, bytes) => sum + bytes, 0) / looks.length
        samples.add(samples.row(contestant, road.name, streams), {
          kb_per_stream: (mean - before) / 1000 / streams,
          most_kb_per_stream: (Math.max(...looks) - before) / 1000 / streams,
          resident_mb: mean / 1e6,
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

async function look(read: () => number, ms: number): Promise<readonly number[]> {
  const looks: number[] = []
  while (looks.length < LOOKS) {
    await pause(ms / LOOKS)
    looks.push(read())
  }
  return looks
}

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))

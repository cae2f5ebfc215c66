/**
 * From the start of a server's process until its port is open, and from then until it has said its first word. The
 * product takes part twice: as it is installed, and from its sources.
 */
import { type Contestant, TOOLWIRE, toolwireFrom } from './contestant.ts'
import { install } from './installed.ts'
import { cpuMicros, residentBytes } from './process-meter.ts'
import { runLoad } from './readers.ts'
import { gatherSamples, type Row } from './samples.ts'
import { median } from './statistics.ts'
import { takeTurns } from './take-turns.ts'

export type ColdStartFigure = 'listen_ms' | 'cpu_ms' | 'first_answer_ms' | 'resident_mb'

/** One row per contestant, over its first route; `cpu_ms` covers the time until it listens. */
export async function coldStart(
  contestants: readonly Contestant[],
  rounds: number,
): Promise<readonly Row<ColdStartFigure>[]> {
  if (!contestants.includes(TOOLWIRE)) return await measure(contestants, rounds)
  const installed = await install()
  try {
    const product = { ...toolwireFrom(installed.command), name: 'toolwire, installed' }
    const sources = { ...TOOLWIRE, name: 'toolwire, sources' }
    const others = contestants.filter(one => one !== TOOLWIRE)
    return await measure([product, sources, ...others], rounds)
  } finally {
    installed.remove()
  }
}

async function measure(
  contestants: readonly Contestant[],
  rounds: number,
): Promise<readonly Row<ColdStartFigure>[]> {
  const samples = gatherSamples<ColdStartFigure>('listen_ms', 'cpu_ms', 'first_answer_ms', 'resident_mb')
  await takeTurns(
    contestants,
    rounds,
    async ({ contestant, subject, upstream }) => {
      const cpu_ms = cpuMicros(subject.pid) / 1000
      const [road] = contestant.roads(upstream)
      if (!road) return
      const { first_ms } = await runLoad(subject, road, { streams: 1, knobs: { d: 1 } })
      samples.add(samples.row(contestant, road.name, 1), {
        listen_ms: subject.listen_ms,
        cpu_ms,
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

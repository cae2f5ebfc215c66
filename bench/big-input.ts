/** One call with a very large input in tiny deltas, through servers: what a character costs, and whether it costs more in a larger one. */
import type { CallRoad } from './call-road.ts'
import { type Contestant, withEcho } from './contestant.ts'
import { knobsName } from './knobs.ts'
import { cpuMicros, residentBytes } from './process-meter.ts'
import { gatherSamples, type Row, type Samples } from './samples.ts'
import type { Subject } from './spawn-subject.ts'
import { takeTurns } from './take-turns.ts'

/** `frames` are those with arguments that the client got; `grown_mb` is by how much the server's memory was larger at the end. */
export type BigInputFigure = 'frames' | 'cpu_ms' | 'wall_ms' | 'grown_mb'

/** Characters in a delta of the provider. */
export const PIECE = 16
/** Enough for the compiler to have seen everything. */
const WARM_CHARS = 20_000

/** One row per contestant, route and size, small before large. A route with missing arguments fails. */
export async function bigInput(
  contestants: readonly Contestant[],
  sizes: readonly number[],
  rounds: number,
): Promise<readonly Row<BigInputFigure>[]> {
  const samples = gatherSamples<BigInputFigure>('frames', 'cpu_ms', 'wall_ms', 'grown_mb')
  await takeTurns(
    contestants.map(one => withEcho(one)),
    rounds,
    async ({ contestant, subject, upstream }) => {
      for (const road of contestant.callRoads(upstream)) {
        const rows = sizes.map(chars => samples.row(contestant, road.name, chars))
        await measure(subject, road, rows, samples)
      }
    },
    (contestant, why) => {
      samples.row(contestant, '', 0).failure = why
    },
  )
  return samples.rows()
}

async function measure(
  subject: Subject,
  road: CallRoad,
  rows: readonly Row<BigInputFigure>[],
  samples: Samples<BigInputFigure>,
): Promise<void> {
  const left = [...rows]
  try {
    await ask(subject, road, WARM_CHARS)
    for (; left[0]; left.shift()) samples.add(left[0], await ask(subject, road, left[0].size))
  } catch (error) {
    for (const row of left) row.failure = error instanceof Error ? error.message : String(error)
  }
}

/** The name of a model that calls once with so many characters, and then says a word. */
export const bigCall = (prefix: string, chars: number, paceMs = 0): string =>
  knobsName(prefix, { d: 1, r: 1, p: 1, t: chars, u: PIECE, w: paceMs })

async function ask(
  { url, pid }: Subject,
  road: CallRoad,
  chars: number,
): Promise<Record<BigInputFigure, number>> {
  const send = await road.open(url, bigCall(road.model, chars))
  const before = { cpu: cpuMicros(pid), memory: residentBytes(pid), at: performance.now() }
  const answer = await send()
  const figures = {
    cpu_ms: (cpuMicros(pid) - before.cpu) / 1000,
    wall_ms: performance.now() - before.at,
    grown_mb: (residentBytes(pid) - before.memory) / 1e6,
  }
  const pieces = road.pieces(answer).filter(piece => piece !== '')
  const got = pieces.join('').length
  if (got !== chars) throw new Error(`${got} of ${chars} characters: ${answer.slice(0, 300)}`)
  return { frames: pieces.length, ...figures }
}

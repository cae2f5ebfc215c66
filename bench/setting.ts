/** The footer of a part's results: date, machine, contestants, and the meaning of a number. */
import { cpus, loadavg, release } from 'node:os'
import type { Taker } from './takers.ts'

/** One line. Names each of `takers` once, in their order. */
export function settingOf(takers: readonly Taker[], rounds: number, now: Date = new Date()): string {
  const day = now.toISOString().slice(0, 10)
  const cpu = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}`
  const versions = [...new Set(takers.map(({ name, version }) => `${name} ${version}`))].join(', ')
  const figures =
    rounds === 1
      ? 'Every result is of one run.'
      : `A result with brackets is the median of ${rounds} rounds, with the least and the most; any other is of one run.`
  const load = loadavg().map(one => one.toFixed(1))
  return `${day}, ${cpu}, load ${load.join(', ')} at the end, Linux ${release()}, Node ${process.version}; ${versions}. ${figures}`
}

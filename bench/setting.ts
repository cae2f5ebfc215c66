/** The footer of a part's results: date, machine, contestants, and the meaning of a number. */
import { cpus, release } from 'node:os'
import type { Taker } from './takers.ts'

/** One line. Names each of `takers` once, in their order. */
export function settingOf(takers: readonly Taker[], rounds: number, now: Date = new Date()): string {
  const day = now.toISOString().slice(0, 10)
  const cpu = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}`
  const versions = [...new Set(takers.map(({ name, version }) => `${name} ${version}`))].join(', ')
  const figures =
    rounds === 1
      ? 'Every figure is of one run.'
      : `A figure with brackets is the median of ${rounds} rounds, with the least and the most; any other is of one run.`
  return `${day}, ${cpu}, Linux ${release()}, Node ${process.version}; ${versions}. ${figures}`
}

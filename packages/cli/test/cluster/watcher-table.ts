/** The results of many watchers as a Markdown table. Pure. */
import type { Round, WatcherFigures } from './watchers.ts'

const HEAD =
  '| part | clients | resident memory after collections: nobody · those that read · at the end; most (MB) | in use then (MB) | delay p50 · p99 (ms) |\n|---|---|---|---|---|\n'

export function watcherTable(figures: WatcherFigures): string {
  const { watchers, storm, allRead, tenthStalled, stormed, delivered, problems } = figures
  const row = (what: string, clients: number, round: Round, delays: readonly number[] = []): string =>
    `| ${what} | ${clients} | ${memoryOf(round)} | ${spread(delays)} |\n`
  return [
    HEAD,
    row('watchers that read', watchers, allRead, allRead.delays),
    row(`the same, ${tenthStalled.stalled} never read`, watchers, tenthStalled, tenthStalled.delays),
    row('reconnections at random places', storm, stormed),
    `\n${delivered} events delivered and checked, ${problems.length} problems\n`,
    ...problems.slice(0, 10).map(problem => `PROBLEM ${problem}\n`),
  ].join('')
}

function memoryOf({ rested, open, end, mostMb }: Round): string {
  const looks = [rested, open, end]
  const resident = looks.map(({ residentMb }) => Math.round(residentMb)).join(' · ')
  const inUse = looks.map(({ heapMb, buffersMb }) => (heapMb + buffersMb).toFixed(1)).join(' · ')
  return `${resident}; ${Math.round(mostMb)} | ${inUse}`
}

function spread(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (part: number): number => sorted[Math.floor((sorted.length - 1) * part)] ?? 0
  return sorted.length === 0 ? '–' : `${at(0.5)} · ${at(0.99)}`
}

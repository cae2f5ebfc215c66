/**
 * `npm run chaos -- --minutes 10 --seed 1`: chaos for any duration, and a table of results. Exits with 1 on a
 * problem. `--plan 20` prints the seed's first steps and does nothing.
 */
import { parseArgs } from 'node:util'
import { runChaos } from '../packages/cli/test/cluster/chaos.ts'
import { describeStep, planFaults } from '../packages/cli/test/cluster/chaos-plan.ts'
import { embeddedPostgres, measuredWith } from './measured-with.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
    nodes: { type: 'string', default: '3' },
    sessions: { type: 'string', default: '8' },
    /** Only prints what the seed would do. */
    plan: { type: 'string' },
  },
})
if (values.plan !== undefined) {
  for (const step of planFaults(Number(values.seed)).take(Number(values.plan)))
    process.stdout.write(`${describeStep(step)}\n`)
  process.exit(0)
}
const began = performance.now()
const say = (line: string): void =>
  void process.stdout.write(`${((performance.now() - began) / 1000).toFixed(1)} s  ${line}\n`)
const report = await runChaos({
  seconds: Number(values.minutes) * 60,
  seed: Number(values.seed),
  nodes: Number(values.nodes),
  sessions: Number(values.sessions),
  onFault: say,
})

function spread(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (part: number): number =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0)
  return sorted.length === 0 ? '–' : `${sorted.length} · ${at(0.5)} · ${at(0.99)} · ${at(1)}`
}

const rows: readonly (readonly [string, string | number])[] = [
  ...Object.entries(report.faults).map(([fault, count]) => [`faults: ${fault}`, count] as const),
  ...Object.entries(report.takeovers).map(
    ([fault, times]) => [`take-over after ${fault}, ms (n · p50 · p99 · max)`, spread(times ?? [])] as const,
  ),
  ['events in the log', report.events],
  ['events seen by watchers', report.watched],
  ['runs', report.runs],
  ['half messages marked', report.aborted],
  ['writes done', report.writes],
  ['writes of unknown outcome', report.unknown],
  ['problems', report.problems.length],
]
process.stdout.write(`\n${measuredWith(embeddedPostgres())}\n\n| measurement | value |\n|---|---|\n`)
for (const [name, value] of rows) process.stdout.write(`| ${name} | ${value} |\n`)
for (const problem of report.problems) process.stdout.write(`PROBLEM ${problem}\n`)
process.exitCode = report.problems.length > 0 ? 1 : 0

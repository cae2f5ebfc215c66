/**
 * `npm run soak -- --minutes 10 --seed 1`: sessions of every kind under kills for any duration, and a table of
 * results; with `--steady` on one server that lives, whose memory must not grow once its caches are full. Exits
 * with 1 on a problem, or if a steady run was too short to judge.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runKills } from '../packages/cli/test/soundness/kills.ts'
import { measuredWith } from './measured-with.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    sessions: { type: 'string', default: '200' },
    at_once: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    steady: { type: 'boolean', default: false },
  },
})
const began = performance.now()
const say = (line: string): void =>
  void process.stdout.write(`${((performance.now() - began) / 1000).toFixed(1)} s  ${line}\n`)
const dir = mkdtempSync(join(tmpdir(), 'toolwire-soak-'))
const report = await runKills({
  dir,
  seed: Number(values.seed),
  sessions: Number(values.sessions),
  atOnce: Number(values.at_once),
  isSteady: values.steady,
  isWarm: values.steady,
  onLine: say,
  ...(values.minutes === undefined ? {} : { seconds: Number(values.minutes) * 60 }),
})
const rows: readonly (readonly [string, string | number])[] = [
  ...Object.entries(report.kinds).map(([kind, count]) => [`sessions: ${kind}`, count] as const),
  ...Object.entries(report.faults).map(([fault, count]) => [`faults: ${fault}`, count] as const),
  ['logs', report.logs],
  ['events in the logs', report.events],
  ['frames seen and compared', report.frames],
  ["streamed texts of vendors' wires, compared", report.streamedTexts],
  ['messages, approvals, outputs and answers looked up', report.acknowledged],
  ['requests made again', report.retries],
  ['writes done · with unknown outcome', `${report.writes.done} · ${report.writes.unknown}`],
  ['memory of a server, MB (first · last)', `${report.memory.first} · ${report.memory.last}`],
  ...Object.entries(report.held).map(
    ([name, { thirds, slope }]) =>
      [
        `${name} after a collection by thirds, MB · MB per 1,000 sessions`,
        `${thirds.join(' · ')} · ${slope ?? 'too short to tell'}`,
      ] as const,
  ),
  ['problems', report.problems.length],
]
process.stdout.write(`\n${measuredWith()}\n\n| measurement | value |\n|---|---|\n`)
for (const [name, value] of rows) process.stdout.write(`| ${name} | ${value} |\n`)
for (const problem of report.problems) process.stdout.write(`PROBLEM ${problem}\n`)
// Data in which something is wrong are worth a look.
if (report.problems.length === 0) rmSync(dir, { recursive: true, force: true })
else process.stdout.write(`The data are in ${dir}\n`)
const isTold = !values.steady || report.held['heap']?.slope !== undefined
process.exitCode = report.problems.length > 0 || !isTold ? 1 : 0

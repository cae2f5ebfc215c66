/**
 * `npm run load`: thousands of clients on one server, and a table of figures; with `--postgres` on one of two servers
 * that share a database. Ends with 1 when something was wrong.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runLoad } from '../packages/cli/test/soundness/load.ts'
import { loadPostgres } from './load-postgres.ts'

const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '2000' },
    paused: { type: 'string', default: '10000' },
    stalled: { type: 'string', default: '1000' },
    storm: { type: 'string', default: '5000' },
    seed: { type: 'string', default: '1' },
    postgres: { type: 'boolean', default: false },
    watchers: { type: 'string', default: '1000' },
  },
})
if (values.postgres) {
  const { watchers, storm, seed } = values
  const load = { watchers: Number(watchers), bulk: 48, paced: 100, storm: Number(storm), seed: Number(seed) }
  process.exit((await loadPostgres(load)) > 0 ? 1 : 0)
}
const dir = mkdtempSync(join(tmpdir(), 'toolwire-load-'))
process.stdout.write(
  '| part | clients | open at once, as clients · as the server counts | sessions waiting meanwhile | seconds | frames | server memory before · most · after (MB) | problems |\n|---|---|---|---|---|---|---|---|\n',
)
let problems = 0
try {
  const sizes = {
    streams: Number(values.streams),
    paused: Number(values.paused),
    stalled: Number(values.stalled),
    storm: Number(values.storm),
    seed: Number(values.seed),
  }
  await runLoad(dir, sizes, figure => {
    problems += figure.problems.length
    const { part, count, atOnce, gauge, waiting, seconds, frames, before, most, after } = figure
    process.stdout.write(
      `| ${part} | ${count} | ${atOnce} · ${gauge} | ${waiting} | ${seconds} | ${frames} | ${before} · ${most} · ${after} | ${figure.problems.length} |\n`,
    )
    for (const problem of figure.problems.slice(0, 10)) process.stdout.write(`PROBLEM ${problem}\n`)
  })
} finally {
  rmSync(dir, { recursive: true, force: true })
}
process.exitCode = problems > 0 ? 1 : 0

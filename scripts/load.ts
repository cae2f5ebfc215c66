/**
 * `npm run load`: thousands of clients on one server, and a table of results; with `--postgres` on one of two
 * servers that share a database. Exits with 1 on a problem.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runLoad } from '../packages/cli/test/soundness/load.ts'
import { loadPostgres } from './load-postgres.ts'
import { measuredWith } from './measured-with.ts'
import { isInOwnNetwork } from './own-network.ts'

const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '2000' },
    paused: { type: 'string', default: '10000' },
    stalled: { type: 'string', default: '1000' },
    storm: { type: 'string', default: '5000' },
    /** Events of the log that those who do not read ask for. */
    bulk: { type: 'string', default: '2000' },
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
if (!isInOwnNetwork())
  process.stdout.write(
    'No network of its own can be had (Linux with unshare and ip): where the system holds megabytes for each connection, a thousand that do not read may be too many for it.\n\n',
  )
const dir = mkdtempSync(join(tmpdir(), 'toolwire-load-'))
const COLUMNS = [
  'part',
  'clients',
  'open at once, as clients · as the server counts',
  'sessions waiting meanwhile',
  'answered at the same moment',
  'events behind',
  'seconds',
  'frames',
  'server memory before · most · after (MB)',
  'in use after a collection, before · meanwhile (MB)',
  'problems',
]
process.stdout.write(`${measuredWith()}\n\n| ${COLUMNS.join(' | ')} |\n${'|---'.repeat(COLUMNS.length)}|\n`)
let problems = 0
try {
  const sizes = {
    streams: Number(values.streams),
    paused: Number(values.paused),
    stalled: Number(values.stalled),
    storm: Number(values.storm),
    bulk: Number(values.bulk),
    seed: Number(values.seed),
  }
  await runLoad(dir, sizes, figure => {
    problems += figure.problems.length
    const { part, count, atOnce, gauge, waiting, running, lag, seconds, frames, before, most, after } = figure
    const cells = [
      part,
      count,
      `${atOnce} · ${gauge}`,
      waiting,
      running,
      lag,
      seconds,
      frames,
      `${before} · ${most} · ${after}`,
      figure.held.length > 0 ? figure.held.join(' · ') : '–',
      figure.problems.length,
    ]
    process.stdout.write(`| ${cells.join(' | ')} |\n`)
    for (const problem of figure.problems.slice(0, 10)) process.stdout.write(`PROBLEM ${problem}\n`)
  })
} finally {
  rmSync(dir, { recursive: true, force: true })
}
process.exitCode = problems > 0 ? 1 : 0

/** `npm run bench`: prints tables of medians. Figures are for comparison within one run of one machine. */
import { cpus } from 'node:os'
import { paused } from './paused.ts'
import { relay } from './relay.ts'

const quick = process.argv.includes('--quick')
const only = process.argv.find(arg => arg.startsWith('--only='))?.slice('--only='.length)

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`

async function relayTable(): Promise<void> {
  const deltas = quick ? 50 : 1000
  console.log(
    '\n| relay: chat wire, SQLite | deltas each | CPU µs per delta (median) | min to max | frames per delta |',
  )
  console.log('|---|---|---|---|---|')
  for (const streams of quick ? [5] : [1, 100]) {
    const results = []
    for (let i = 0; i < (quick ? 1 : 5); i += 1) results.push(await relay(streams, deltas))
    const cpu = results.map(result => result.cpu_us_per_delta)
    const frames = median(results.map(result => result.frames / (result.streams * result.deltas)))
    const spread = `${Math.min(...cpu).toFixed(1)} to ${Math.max(...cpu).toFixed(1)}`
    console.log(
      `| ${streams} streams | ${deltas} | ${median(cpu).toFixed(1)} | ${spread} | ${frames.toFixed(2)} |`,
    )
  }
}

async function pausedTable(): Promise<void> {
  const result = await paused(quick ? 20 : 5000, quick ? 50 : 10_000)
  const perThread = (result.heap_after - result.heap_before) / result.threads
  console.log(
    '\n| paused threads | heap before | heap after | heap per thread | RSS before | RSS after | database |',
  )
  console.log('|---|---|---|---|---|---|---|')
  console.log(
    `| ${result.threads} | ${mb(result.heap_before)} | ${mb(result.heap_after)} | ${perThread.toFixed(0)} B | ${mb(result.rss_before)} | ${mb(result.rss_after)} | ${mb(result.database_bytes)} |`,
  )
}

const parts: Readonly<Record<string, () => Promise<void>>> = { relay: relayTable, paused: pausedTable }
console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}`)
for (const [name, run] of Object.entries(parts)) if (only === undefined || only === name) await run()

/** `npm run bench`: prints a table of medians. Figures are for comparison within one run of one machine. */
import { cpus } from 'node:os'
import { relay } from './relay.ts'

const quick = process.argv.includes('--quick')
const repeats = quick ? 1 : 5
const sizes = quick ? [5] : [1, 100]
const deltas = quick ? 50 : 1000

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}\n`)
console.log('| part | streams | deltas each | CPU µs per delta (median) | min to max | frames per delta |')
console.log('|---|---|---|---|---|---|')
for (const streams of sizes) {
  const results = []
  for (let i = 0; i < repeats; i += 1) results.push(await relay(streams, deltas))
  const cpu = results.map(result => result.cpu_us_per_delta)
  const frames = median(results.map(result => result.frames / (result.streams * result.deltas)))
  const spread = `${Math.min(...cpu).toFixed(1)} to ${Math.max(...cpu).toFixed(1)}`
  console.log(
    `| relay, chat wire, SQLite | ${streams} | ${deltas} | ${median(cpu).toFixed(1)} | ${spread} | ${frames.toFixed(2)} |`,
  )
}

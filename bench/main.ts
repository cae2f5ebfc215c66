/**
 * `npm run bench`: every part, or those of `--only=relay,latency`, printed and written to docs/performance.md.
 * `--quick` shows that parts work and writes nothing. `--rounds=N` repeats (3), `--names=a,b` picks servers.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, release } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { contestants } from './contestant.ts'
import { PARTS } from './part.ts'
import { withMeasurement } from './performance-page.ts'
import { leaveFirstCore } from './spawn-subject.ts'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    names: { type: 'string' },
    rounds: { type: 'string' },
  },
})
const names = values.names?.split(',')
const size = {
  quick: values.quick,
  rounds: Number(values.rounds ?? (values.quick ? 1 : 3)),
  ...(names ? { names } : {}),
}
const chosen = PARTS.filter(({ name }) => values.only === undefined || values.only.split(',').includes(name))
if (chosen.length === 0) throw new RangeError(`Parts are ${PARTS.map(({ name }) => name).join(', ')}.`)

const PAGE = fileURLToPath(new URL('../docs/performance.md', import.meta.url))
const versions = contestants()
  .filter(({ name }) => !names || names.includes(name))
  .map(({ name, version }) => `${name} ${version}`)
const day = new Date().toISOString().slice(0, 10)
const cpu = `${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown CPU'}`
const setting = `${day}, ${cpu}, Linux ${release()}, Node ${process.version}; ${versions.join(', ')}. A figure with brackets is the median of ${size.rounds} rounds, with the least and the most; any other is of one run.`

leaveFirstCore()
for (const { name, title, run } of chosen) {
  const markdown = await run(size)
  process.stdout.write(`\n## ${title}\n${markdown}\n`)
  if (!values.quick)
    writeFileSync(PAGE, withMeasurement(readFileSync(PAGE, 'utf8'), { name, title, markdown, setting }))
}
process.stdout.write(`\n${setting}\n`)

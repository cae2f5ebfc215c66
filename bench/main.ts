/**
 * `npm run bench`: every part, or those of `--only=relay,latency`, printed and written to docs/performance-results.md.
 * `--quick` shows that parts work and writes nothing. `--rounds=N` repeats (3), `--names=a,b` picks servers.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { PARTS } from './part.ts'
import { withMeasurement } from './performance-page.ts'
import { settingOf } from './setting.ts'
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

const PAGE = fileURLToPath(new URL('../docs/performance-results.md', import.meta.url))

leaveFirstCore()
for (const { name, title, run } of chosen) {
  const { markdown, takers } = await run(size)
  const setting = settingOf(takers, size.rounds)
  process.stdout.write(`\n## ${title}\n${markdown}\n\n${setting}\n`)
  if (!values.quick)
    writeFileSync(PAGE, withMeasurement(readFileSync(PAGE, 'utf8'), { name, title, markdown, setting }))
}

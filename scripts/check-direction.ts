/**
 * The dependency rules, with a floor under the number of modules read: a cruiser that
 * finds no TypeScript compiler reads nothing and would call that clean.
 */
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { z } from 'zod'

const Report = z.object({
  summary: z.object({
    totalCruised: z.number(),
    error: z.number(),
    violations: z.array(z.object({ rule: z.object({ name: z.string() }), from: z.string(), to: z.string() })),
  }),
})

const ran = spawnSync('depcruise', ['packages', 'apps', '--output-type', 'json'], {
  encoding: 'utf8',
  maxBuffer: 1 << 28,
})
if (ran.error) throw ran.error
const { summary } = Report.parse(JSON.parse(ran.stdout))
const sources = globSync('packages/*/src/**/*.ts').length
for (const { rule, from, to } of summary.violations) console.error(`${rule.name}: ${from} → ${to}`)
if (summary.totalCruised < sources) {
  console.error(`dependency rules: only ${summary.totalCruised} modules read, ${sources} expected at least`)
  process.exit(1)
}
console.log(`dependency rules: ${summary.totalCruised} modules, ${summary.violations.length} violations`)
process.exit(summary.error > 0 ? 1 : 0)

/**
 * `npm run fuzz -- --minutes 8`: the property tests and the tests with hostile input repeatedly, each time with
 * another seed, one file at a time. `--only mcp` selects files by name, `--times 5` tries five times as many cases
 * in each run, `--seed 7` starts with that seed. A failure prints how to reproduce it and exits with 1.
 */
import { spawn } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT } from './root.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    only: { type: 'string', default: '' },
    times: { type: 'string', default: '1' },
    seed: { type: 'string' },
  },
})

const files = globSync('packages/*/test/**/*.test.ts', { cwd: ROOT })
  .filter(file => file.includes(values.only) && usesSeed(file))
  .toSorted()
const until = performance.now() + Number(values.minutes) * 60_000
let seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed)
let runs = 0
if (files.length === 0) throw new Error(`No file with hostile input has ${values.only} in its name.`)
// A minute that is over ends between two files, and not in one.
for (; performance.now() < until && process.exitCode === undefined; seed = (seed + 1) % 2 ** 31) {
  const file = files[runs % files.length] ?? ''
  runs += 1
  const began = performance.now()
  const { code, output } = await run(file)
  const line = `seed ${seed}  ${file}  ${((performance.now() - began) / 1000).toFixed(1)} s`
  process.stdout.write(`${code === 0 ? 'ok    ' : 'FAILED'}  ${line}\n`)
  if (code === 0) continue
  const again = `TOOLWIRE_FUZZ_SEED=${seed} TOOLWIRE_FUZZ_TIMES=${values.times} npm run test:only -- ${file}`
  process.stdout.write(`${output}\nTo bring it back: ${again}\n`)
  process.exitCode = 1
}
process.stdout.write(`${runs} runs of ${files.length} files\n`)

/** True for a file whose cases depend on the seed. */
function usesSeed(file: string): boolean {
  return /\/fuzz[^/]*$/.test(file) || readFileSync(join(ROOT, file), 'utf8').includes('fast-check')
}

function run(file: string): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', '--maxWorkers=1', file], {
    cwd: ROOT,
    env: {
      ...process.env,
      NO_COLOR: '1',
      TOOLWIRE_FUZZ_SEED: String(seed),
      TOOLWIRE_FUZZ_TIMES: values.times,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', text => {
      output += text
    })
  return new Promise(resolve => child.on('close', code => resolve({ code, output })))
}

import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const MODULE = new URL('../src/engine-memory.ts', import.meta.url).href
const BOUND = `import { boundEngineMemory } from ${JSON.stringify(MODULE)}
  boundEngineMemory()`

/** What a process prints whose program may tell `youngBytes()` and `work()` with many objects that live for a while. */
function run(program: string, flags: readonly string[] = []): readonly number[] {
  const prelude = `
    import { getHeapSpaceStatistics } from 'node:v8'
    const youngBytes = () => getHeapSpaceStatistics().find(space => space.space_name === 'new_space').space_size
    async function work() {
      let kept = []
      for (let i = 0; i < 400; i++) {
        for (let k = 0; k < 10_000; k++) kept.push({ a: i, b: { k } })
        if (kept.length > 400_000) kept = kept.slice(200_000)
        await new Promise(resolve => setImmediate(resolve))
      }
    }`
  const args = [
    '--expose-gc',
    ...flags,
    '--input-type=module',
    '--conditions=toolwire-source',
    '--eval',
    prelude + program,
  ]
  const told = execFileSync(process.execPath, args, { cwd: fileURLToPath(new URL('.', import.meta.url)) })
  return String(told).trim().split('\n').map(Number)
}

test('the space of young objects stays small, however many requests come at once', () => {
  const bound = run(`${BOUND}; await work(); console.log(youngBytes())`)
  const free = run('; await work(); console.log(youngBytes())')
  expect(bound[0]).toBeGreaterThan(0)
  expect(bound[0]).toBeLessThan(free[0] ?? 0)
})

test('the space of young objects grows again after the engine made it small', () => {
  const [grown = 0, shrunk = 0, again = 0] = run(`${BOUND}
    await work()
    console.log(youngBytes())
    gc({ type: 'major', flavor: 'last-resort' })
    await new Promise(resolve => setTimeout(resolve))
    console.log(youngBytes())
    await work()
    console.log(youngBytes())`)
  expect(shrunk).toBeLessThan(grown / 4)
  expect(again).toBeGreaterThan(grown / 4)
})

test('the engine knows the flags that are set while it runs', () => {
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' })
  for (const flag of [
    '--maglev-destroy-on-background',
    '--semi-space-growth-factor',
    '--incremental-marking-soft-trigger',
    '--optimize-for-size',
  ])
    expect(known).toContain(`  ${flag} (`)
})

test('what a burst has left behind is collected while a little goes on, long before the engine must', () => {
  const [most = 0, left = 0] = run(
    `${BOUND}
    const used = () => getHeapSpaceStatistics().find(space => space.space_name === 'old_space').space_used_size
    const held = { burst: [], lately: [] }
    globalThis.held = held
    await new Promise(resolve => setTimeout(resolve))
    for (const begun = Date.now(); Date.now() < begun + 500; )
      if (held.burst.length < 3_000_000) held.burst.push({ a: 1 })
    // In the midst of the burst everything is in use; the engine would wait now until there is twice as much.
    gc()
    const most = used()
    held.burst = []
    for (let i = 0; i < 400 && used() > most / 2; i++) {
      held.lately.push(Array.from({ length: 1000 }, (_, k) => [k]))
      // Old before it is let go, as what waits for the next delta of a slow stream is.
      if (held.lately.length > 100) held.lately.shift()
      await new Promise(resolve => setTimeout(resolve, 10))
    }
    console.log(most)
    console.log(used())`,
    ['--max-semi-space-size=1'],
  )
  expect(left).toBeLessThan(most / 2)
})

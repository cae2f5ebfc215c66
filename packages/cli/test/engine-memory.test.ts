import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

/** Bytes of the young space of a process after many objects that live for a while. */
function youngBytesAfterWork(isBound: boolean): number {
  const module = new URL('../src/engine-memory.ts', import.meta.url)
  const work = `
    import { getHeapSpaceStatistics } from 'node:v8'
    ${isBound ? `import { boundEngineMemory } from ${JSON.stringify(module.href)}\nboundEngineMemory()` : ''}
    let kept = []
    for (let i = 0; i < 400; i++) {
      for (let k = 0; k < 10_000; k++) kept.push({ a: i, b: { k } })
      if (kept.length > 400_000) kept = kept.slice(200_000)
      await new Promise(resolve => setImmediate(resolve))
    }
    console.log(getHeapSpaceStatistics().find(space => space.space_name === 'new_space').space_size)`
  const args = ['--input-type=module', '--conditions=toolwire-source', '--eval', work]
  return Number(execFileSync(process.execPath, args, { cwd: fileURLToPath(new URL('.', import.meta.url)) }))
}

test('the space of young objects stays small, however many requests come at once', () => {
  const bound = youngBytesAfterWork(true)
  expect(bound).toBeGreaterThan(0)
  expect(bound).toBeLessThan(youngBytesAfterWork(false))
})

test('the engine knows the flags that are set while it runs', () => {
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' })
  for (const flag of ['--maglev-destroy-on-background', '--semi-space-growth-factor'])
    expect(known).toContain(`  ${flag} (`)
})

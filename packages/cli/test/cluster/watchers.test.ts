/** A small run of what the benchmark does with thousands. */
import { expect, test, vi } from 'vitest'
import { openFleet } from './fleet.ts'
import { runWatchers } from './watchers.ts'

// Servers start slowly on a busy machine.
vi.setConfig({ testTimeout: 400_000 })

test('watchers on another server, a tenth of which does not read, and a storm of reconnections: every event once, bounded memory', async () => {
  const fleet = await openFleet()
  try {
    const start = () => fleet.start({ TOOLWIRE_DEMO_PACE_MS: '5' })
    const nodes = await Promise.all([start(), start()])
    const figures = await runWatchers(fleet, nodes, { watchers: 60, storm: 120, seed: 5 })
    expect(figures.problems).toEqual([])
    expect(figures.stalled).toBe(6)
    expect(figures.delivered).toBeGreaterThan(60 * 100)
    expect(figures.mostMb - figures.beforeMb).toBeLessThan(200)
  } finally {
    await fleet.close()
  }
})

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
    const { allRead, tenthStalled, stormed, ...figures } = await runWatchers(fleet, nodes, {
      watchers: 40,
      paced: 20,
      storm: 80,
      seed: 5,
    })
    expect(figures.problems).toEqual([])
    expect(figures.delivered).toBeGreaterThan(2 * 36 * 20 + 80 * 100)
    // Whoever does not read is left behind in the log, not written to memory.
    expect(allRead).toMatchObject({ stalled: 0, lag: 0 })
    expect(tenthStalled.stalled).toBe(4)
    expect(tenthStalled.lag).toBeGreaterThan(0)
    for (const { beforeMb, mostMb } of [tenthStalled, stormed]) expect(mostMb - beforeMb).toBeLessThan(200)
  } finally {
    await fleet.close()
  }
})

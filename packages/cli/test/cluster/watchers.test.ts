/** A small run of what the benchmark does with thousands. */
import { expect, test, vi } from 'vitest'
import type { HeapLook } from '../soundness/heap-looks.ts'
import { openFleet } from './fleet.ts'
import { watcherTable } from './watcher-table.ts'
import { runWatchers } from './watchers.ts'

const inUse = ({ heapMb, buffersMb }: HeapLook): number => heapMb + buffersMb

// Servers start slowly on a busy machine.
vi.setConfig({ testTimeout: 400_000 })

test('watchers on another server, a tenth of which does not read, and a storm of reconnections: every event once, bounded memory', async () => {
  const fleet = await openFleet()
  try {
    const figures = await runWatchers(fleet, { watchers: 40, bulk: 48, paced: 20, storm: 80, seed: 5 })
    const { allRead, tenthStalled, stormed } = figures
    expect(figures.problems).toEqual([])
    expect(figures.delivered).toBeGreaterThan(2 * 36 * 20 + 80 * 100)
    // A stalled reader falls behind in the log; nothing is buffered for it.
    expect(allRead).toMatchObject({ stalled: 0, lag: 0 })
    expect(tenthStalled.stalled).toBe(4)
    expect(tenthStalled.lag).toBeGreaterThan(0)
    // What they had yet to get is some 30 MB; the rows that were read last, which are kept for all, are some 6.
    for (const { open, end } of [allRead, tenthStalled, stormed])
      expect(inUse(end) - inUse(open)).toBeLessThan(15)
    const table = watcherTable(figures)
    expect(table).toMatch(
      /^\| the same, 4 never read \| 40 \| \d+ · \d+ · \d+; \d+ \| [\d. ·]+ \| \d+ · \d+ \|$/m,
    )
    expect(table).toContain(`${figures.delivered} events delivered and checked, 0 problems`)
    expect(table).not.toContain('NaN')
  } finally {
    await fleet.close()
  }
})

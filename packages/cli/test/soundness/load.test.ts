/** A small run of what `npm run load` does with thousands. */
import { expect, test, vi } from 'vitest'
import { inFolder } from '../launch.ts'
import { runLoad } from './load.ts'

vi.setConfig({ testTimeout: 400_000 })

test('streams, pauses, readers that do not read and a storm of reconnections: everyone gets exactly what is theirs', async () => {
  await inFolder(async dir => {
    const sizes = { streams: 40, paused: 40, stalled: 40, storm: 100, bulk: 2000, seed: 3 }
    const figures = await runLoad(dir, sizes)
    expect(figures.map(figure => figure.part)).toEqual(['paused', 'streams', 'stalled', 'storm'])
    for (const figure of figures) expect([figure.part, figure.problems]).toEqual([figure.part, []])
    for (const figure of figures) if (figure.part !== 'paused') expect(figure.frames).toBeGreaterThan(0)
    for (const { part, atOnce, gauge, waiting } of figures) {
      // Those that were paused first wait while everything else is open.
      if (part !== 'storm') expect([part, gauge >= 40, waiting]).toEqual([part, true, 40])
      if (part === 'streams' || part === 'stalled') expect([part, atOnce >= 40]).toEqual([part, true])
    }
    const [, streams, stalled] = figures
    expect(streams?.running).toBe(40)
    expect(stalled?.lag).toBeGreaterThan(0)
    expect(stalled?.lag).toBeLessThan(40_000)
    expect(stalled?.held).toHaveLength(2)
  })
})

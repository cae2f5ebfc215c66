/** A short run of what `npm run soak` does for as long as one likes. */
import { expect, test, vi } from 'vitest'
import { inFolder } from '../launch.ts'
import { runKills } from './kills.ts'

vi.setConfig({ testTimeout: 400_000 })

test('a server is killed at random under sessions of every kind: nothing seen is lost, every run and call ends once, no write is done twice', async () => {
  await inFolder(async dir => {
    const report = await runKills({ dir, seed: 11, sessions: 25 })
    expect(report.problems).toEqual([])
    expect(report.kinds).toEqual({ chat: 5, thread: 5, gateway: 5, client: 5, approval: 5 })
    expect(report.faults.SIGKILL + report.faults.SIGTERM).toBeGreaterThan(0)
    expect(report.frames).toBeGreaterThan(0)
  })
})

test('a server that nothing happens to holds sessions of every kind, and its memory is watched meanwhile', async () => {
  await inFolder(async dir => {
    const report = await runKills({ dir, seed: 12, sessions: 25, isSteady: true })
    expect(report.problems).toEqual([])
    expect(report).toMatchObject({ retries: 0, faults: { SIGKILL: 0, SIGTERM: 0 }, writes: 5 })
    expect(report.memory.last).toBeGreaterThan(0)
    for (const megabytes of report.heap) expect(megabytes).toBeGreaterThan(0)
  })
})

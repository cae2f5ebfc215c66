/** A short run of what `npm run soak` does for as long as one likes. */
import { expect, test, vi } from 'vitest'
import { inFolder } from '../launch.ts'
import { runKills } from './kills.ts'
import { KINDS } from './talks.ts'

vi.setConfig({ testTimeout: 400_000 })

const EACH = 3
const NAMES = Object.keys(KINDS)
const HELD = Object.fromEntries(NAMES.map(name => [name, EACH]))
/** Two messages in a chat, one elsewhere; an output, an approval, and the answers of six kinds. */
const ACKNOWLEDGED = (NAMES.length + 1 + 2 + 6) * EACH

test('a server is killed at random under sessions of every kind: what was seen or acknowledged is there, every run and call ends once, writes are as reported', async () => {
  await inFolder(async dir => {
    const report = await runKills({ dir, seed: 11, sessions: NAMES.length * EACH })
    expect(report.problems).toEqual([])
    expect(report).toMatchObject({ kinds: HELD, acknowledged: ACKNOWLEDGED })
    expect(report.faults.SIGKILL + report.faults.SIGTERM).toBeGreaterThan(0)
    expect(report.frames).toBeGreaterThan(0)
    expect(report.streamedTexts).toBeGreaterThanOrEqual(2 * EACH)
    expect(report.writes.done + report.writes.unknown).toBe(EACH)
  })
})

test('a server that nothing happens to holds sessions of every kind, and its memory is watched meanwhile', async () => {
  await inFolder(async dir => {
    const report = await runKills({ dir, seed: 12, sessions: NAMES.length * EACH, isSteady: true })
    expect(report.problems).toEqual([])
    expect(report).toMatchObject({
      kinds: HELD,
      acknowledged: ACKNOWLEDGED,
      retries: 0,
      faults: { SIGKILL: 0, SIGTERM: 0 },
      writes: { done: EACH, unknown: 0 },
    })
    expect(report.memory.last).toBeGreaterThan(0)
    expect(Object.keys(report.held)).toEqual([
      'heap',
      'buffers',
      "the store's thread",
      "buffers of the store's thread",
      'resident',
    ])
  })
})

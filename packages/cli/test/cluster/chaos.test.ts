/** A short run of what `npm run chaos` does for as long as one likes. */
import { expect, test, vi } from 'vitest'
import { runChaos } from './chaos.ts'
import { describeStep, FAULTS, planFaults, planTalk, type Step } from './chaos-plan.ts'

vi.setConfig({ testTimeout: 400_000 })

test('servers and database fail at random: no gap, no repeat, no write twice, every run and call ends once', async () => {
  const report = await runChaos({ seconds: 15, seed: 7, nodes: 2, sessions: 3 })
  expect(report.problems).toEqual([])
  expect(report.runs).toBeGreaterThan(0)
  expect(report.watched).toBe(report.events)
})

test('what chaos does is a function of its seed alone', () => {
  const first = (seed: number, count: number): readonly Step[] => [...planFaults(seed).take(count)]
  const said = (seed: number, session: number): string =>
    JSON.stringify([...planTalk(seed, session).take(40)])
  expect(first(7, 50)).toEqual(first(7, 50))
  expect(first(8, 50)).not.toEqual(first(7, 50))
  expect(new Set(first(7, 5).map(step => step.fault))).toEqual(new Set(FAULTS))
  expect(first(7, 3).map(describeStep)).toEqual([
    'after 1311 ms: kill, victim 0.466, held 240 ms',
    'after 1607 ms: stop, victim 0.730, held 258 ms',
    'after 812 ms: database, victim 0.764, held 518 ms',
  ])
  expect(said(7, 0)).toBe(said(7, 0))
  expect(new Set([said(7, 0), said(7, 1), said(8, 0)]).size).toBe(3)
})

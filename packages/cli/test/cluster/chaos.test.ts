/** A short run of what `npm run chaos` does for as long as one likes. */
import { expect, test, vi } from 'vitest'
import { runChaos } from './chaos.ts'
import { describeStep, FAULTS, planFaults, planTalk, type Step } from './chaos-plan.ts'
import { checkLog } from './check-log.ts'

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

test('the checker finds gaps, going back, runs that end twice or never, and calls that end twice or never', () => {
  const at = { ts: '', run_id: 'r' }
  const started = { ...at, type: 'run.started' }
  const ended = { ...at, type: 'run.completed' }
  const call = (type: string) => ({ ...at, type, call_id: 'c' })
  const check = (...events: readonly object[]): number =>
    checkLog(
      's',
      events.map((ev, i) => ({ seq: i + 1, epoch: 1, ev })) as unknown as Parameters<typeof checkLog>[1],
    ).length
  expect(check(started, call('tool.started'), call('tool.completed'), ended)).toBe(0)
  expect(check(started)).toBe(1)
  expect(check(started, ended, ended)).toBe(1)
  expect(check(started, call('tool.started'), ended)).toBe(1)
  expect(check(started, call('tool.completed'), call('tool.failed'), ended)).toBe(1)
  const records = [1, 2].map(seq => ({ seq, epoch: 3 - seq, ev: { ts: '', type: 'note' } }))
  expect(checkLog('s', records as unknown as Parameters<typeof checkLog>[1])).toHaveLength(1)
  expect(checkLog('s', records.slice(1) as unknown as Parameters<typeof checkLog>[1])).toHaveLength(1)
})

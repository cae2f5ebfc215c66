/**
 * The effect of each committed event on the metrics, read by a Prometheus parser: values, outcomes, and few
 * labels.
 */
import type { SessionEvent } from '@toolwire/core'
import { createMemoryStore } from '@toolwire/store'
import parsePrometheus from 'parse-prometheus-text-format'
import { beforeEach, expect, it } from 'vitest'
import { createInstruments, type Instruments } from '../../src/observe/instruments.ts'
import { observeLog } from '../../src/observe/log-metrics.ts'
import type { StoreObserver } from '../../src/observe/observe-store.ts'

interface Row {
  readonly value?: string
  readonly labels?: Readonly<Record<string, string>>
}
interface Family {
  readonly name: string
  readonly metrics: readonly Row[]
}

let instruments: Instruments
let observe: StoreObserver
beforeEach(() => {
  instruments = createInstruments()
  observe = observeLog(instruments)
})

const at = (seconds: number): string => new Date(seconds * 1000).toISOString()
/** Commits events as the store does; only the fields that metrics use are there. */
const commit = (...events: readonly object[]): void =>
  observe({ session: 's', events: events as readonly SessionEvent[] }, { head: events.length }, 250)
const call = (id: string, name: string, executor = 'server'): object => ({
  type: 'tool.ready',
  ts: at(0),
  call_id: id,
  name,
  executor,
})

const rows = async (name: string): Promise<readonly Row[]> =>
  (parsePrometheus(await instruments.text()) as readonly Family[]).find(one => one.name === name)?.metrics ??
  []
/** Label values of a counter with what was counted. */
const counts = async (name: string, label: string): Promise<Readonly<Record<string, number>>> =>
  Object.fromEntries((await rows(name)).map(row => [row.labels?.[label] ?? '', Number(row.value)]))
/** A line of the text, by the name and labels before its value. */
const sumOf = async (line: string): Promise<number> =>
  Number(
    (await instruments.text())
      .split('\n')
      .find(one => one.startsWith(`${line} `))
      ?.split(' ')
      .at(-1),
  )

it('runs are counted by how they began, paused and ended', async () => {
  const run = (type: string, more: object = {}): object => ({ type, ts: at(0), run_id: 'r', ...more })
  commit(run('run.started'), run('run.paused', { reason: 'approval', pending: [] }))
  commit(run('run.started'), run('run.cancelled'), run('run.started'), run('run.failed', { error: {} }))
  commit(run('run.started'), run('run.completed'))
  expect(await counts('toolwire_runs_total', 'event')).toEqual({
    started: 4,
    paused_approval: 1,
    cancelled: 1,
    failed: 1,
    completed: 1,
  })
})

it('calls are counted by how they ended, a failure by its layer, and their run time adds up', async () => {
  commit(call('a', 'Read'), call('b', 'Read'), call('c', 'Bash'))
  commit(
    { type: 'tool.completed', ts: at(1), call_id: 'a', is_error: false, duration_ms: 1500 },
    { type: 'tool.completed', ts: at(1), call_id: 'b', is_error: true, duration_ms: 500 },
    { type: 'tool.failed', ts: at(1), call_id: 'c', error: { layer: 'permission' }, duration_ms: 0 },
  )
  expect((await rows('toolwire_tool_calls_total')).map(({ labels, value }) => [labels, value])).toEqual([
    [{ tool: 'Read', outcome: 'ok' }, '1'],
    [{ tool: 'Read', outcome: 'error' }, '1'],
    [{ tool: 'Bash', outcome: 'permission' }, '1'],
  ])
  expect(await sumOf('toolwire_tool_duration_seconds_sum{tool="Read"}')).toBe(2)
  expect(await sumOf('toolwire_tool_duration_seconds_count{tool="Bash"}')).toBe(1)
})

it('an approval waits from its question to its decision, by the times in the log', async () => {
  commit({ type: 'tool.approval_requested', ts: at(10), approval_id: 'a', call_id: 'c' })
  commit({ type: 'tool.approval_resolved', ts: at(130), approval_id: 'a', decision: 'denied' })
  // Asked by a process before this one: how long it took is not known, that it was decided is.
  commit({ type: 'tool.approval_resolved', ts: at(130), approval_id: 'b', decision: 'approved' })
  expect(await sumOf('toolwire_approval_wait_seconds_sum')).toBe(120)
  expect(await sumOf('toolwire_approval_wait_seconds_count')).toBe(1)
  expect(await counts('toolwire_approvals_total', 'event')).toEqual({ requested: 1, denied: 1, approved: 1 })
})

it('an approval that another process asked for waits from its question in the log', async () => {
  const store = createMemoryStore()
  const question = { type: 'tool.approval_requested', ts: at(10), approval_id: 'a', call_id: 'c' }
  const earlier = { ...question, approval_id: 'z', ts: at(5) }
  const events = [question, earlier] as unknown as readonly SessionEvent[]
  await store.append([{ session: 's', create: true, events }])
  observe = observeLog(instruments, store)
  commit({ type: 'tool.approval_resolved', ts: at(130), approval_id: 'a', decision: 'denied' })
  commit({ type: 'tool.approval_resolved', ts: at(130), approval_id: 'nowhere', decision: 'denied' })
  await expect.poll(() => sumOf('toolwire_approval_wait_seconds_count'), { timeout: 60_000 }).toBe(1)
  expect(await sumOf('toolwire_approval_wait_seconds_sum')).toBe(120)
})

it('an append is recorded with its time, and its events only if they were stored', async () => {
  commit({ type: 'note', ts: at(0) }, { type: 'note', ts: at(0) })
  const started = { type: 'run.started', ts: at(0) } as unknown as SessionEvent
  observe({ session: 's', events: [started] }, { dup: 1 }, 500)
  observe({ session: 's', events: [started] }, { fenced: 2 }, 250)
  expect(await sumOf('toolwire_append_seconds_sum')).toBe(1)
  expect(await sumOf('toolwire_append_seconds_count')).toBe(3)
  expect(await sumOf('toolwire_events_total')).toBe(2)
  expect(await rows('toolwire_runs_total')).toEqual([])
})

it('tools of clients, of MCP servers and with strange names share one series each', async () => {
  const names = ['mcp__a__x', 'mcp__b__y', 'my-tool', 'tool_2', `T${'o'.repeat(40)}`]
  for (const [i, name] of names.entries()) commit(call(`s${i}`, name), end(`s${i}`))
  for (const name of ['pick', 'Read']) commit(call(`c${name}`, name, 'client'), end(`c${name}`))
  commit(call('r', 'Read'), end('r'), end('never seen'))
  expect(await counts('toolwire_tool_calls_total', 'tool')).toEqual({ mcp: 2, other: 4, client: 2, Read: 1 })
})

it('at most fifty models get a separate series, and none of their tokens is lost', async () => {
  for (let i = 0; i < 70; i++)
    commit({ type: 'turn.completed', ts: at(0), model: `m${i}`, usage: { input: 1, output: 0 }, cost_usd: 1 })
  const tokens = await counts('toolwire_tokens_total', 'model')
  expect(Object.keys(tokens)).toHaveLength(51)
  expect([tokens['m49'], tokens['m50'], tokens['other']]).toEqual([1, undefined, 20])
  expect((await counts('toolwire_cost_usd_total', 'model'))['other']).toBe(20)
})

it('an aborted message is recorded with its usage, by the requested model', async () => {
  const run = { ts: at(0), run_id: 'r' }
  const usage = { input: 3, output: 2, cache_read: 1 }
  commit({ type: 'turn.started', ...run, model: 'm' })
  commit({ type: 'message.aborted', ...run, usage, cost_usd: 0.5 })
  commit({ type: 'turn.started', ...run, model: 'm' }, { type: 'message.aborted', ...run, usage })
  // Its provider said nothing of it.
  commit({ type: 'turn.started', ...run, model: 'm' }, { type: 'message.aborted', ...run })
  // Two agents of one run at once.
  commit({ type: 'turn.started', ...run, model: 'm' })
  commit({ type: 'turn.started', ...run, model: 'n', agent_run_id: 'a' })
  commit({ type: 'message.aborted', ...run, usage: { input: 7 }, cost_usd: 1, agent_run_id: 'a' })
  commit({ type: 'message.aborted', ...run, usage: { input: 10 }, cost_usd: 1 })
  expect(await counts('toolwire_cost_usd_total', 'model')).toEqual({ m: 1.5, n: 1 })
  expect(await counts('toolwire_unpriced_turns_total', 'model')).toEqual({ m: 1 })
  expect(await sumOf('toolwire_tokens_total{model="m",kind="input"}')).toBe(16)
  expect(await sumOf('toolwire_tokens_total{model="m",kind="output"}')).toBe(4)
  expect(await sumOf('toolwire_tokens_total{model="n",kind="input"}')).toBe(7)
})

function end(call_id: string): object {
  return { type: 'tool.completed', ts: at(1), call_id, is_error: false, duration_ms: 1 }
}

/** Spans from the log alone: their start and end, their parents, and how they report failures. */
import { SpanStatusCode } from '@opentelemetry/api'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import type { SessionEvent } from '@toolwire/core'
import { createMemoryStore } from '@toolwire/store'
import { beforeEach, expect, it } from 'vitest'
import { observeSpans } from '../../src/observe/log-spans.ts'
import type { StoreObserver } from '../../src/observe/observe-store.ts'

let exporter: InMemorySpanExporter
let observe: StoreObserver
beforeEach(() => {
  exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  observe = observeSpans({ tracer: provider.getTracer('test') })
})

/** Commits events as the store does; only the fields that spans are made of are there. */
const commit = (...events: readonly object[]): void =>
  observe({ session: 's', events: events as readonly SessionEvent[] }, { head: events.length }, 1)
const event = (seconds: number, type: string, more: object = {}): object => ({
  type,
  ts: new Date(seconds * 1000).toISOString(),
  run_id: 'r',
  ...more,
})
const ready = (seconds: number, call_id: string): object =>
  event(seconds, 'tool.ready', { call_id, name: call_id, executor: 'server', input_text: '{}' })
const started = (seconds: number, more: object = {}): object =>
  event(seconds, 'run.started', { model: 'm', trigger: 'message', ...more })
const turn = event(2, 'turn.started', { provider: 'p', model: 'm' })

const named = (name: string): ReadableSpan => {
  const found = exporter.getFinishedSpans().find(span => span.name === name)
  if (!found) throw new Error(`no span ${name}: ${exporter.getFinishedSpans().map(span => span.name)}`)
  return found
}
const times = ({ startTime, endTime }: ReadableSpan): readonly number[] => [startTime[0], endTime[0]]

it('they begin and end when the log says so, however long that takes', () => {
  commit(started(1), turn, ready(3, 'Bash'))
  commit(event(4, 'tool.approval_requested', { approval_id: 'a', call_id: 'Bash', name: 'Bash' }))
  commit(event(3604, 'tool.approval_resolved', { approval_id: 'a', decision: 'approved' }))
  commit(event(3610, 'tool.completed', { call_id: 'Bash', output_text: '', is_error: false }))
  commit(event(3611, 'turn.completed', { stop_reason: 'end_turn', usage: {} }), event(3612, 'run.completed'))
  expect(times(named('wait_approval Bash'))).toEqual([4, 3604])
  expect(times(named('execute_tool Bash'))).toEqual([3, 3610])
  expect(times(named('chat m'))).toEqual([2, 3611])
  expect(times(named('invoke_agent toolwire'))).toEqual([1, 3612])
  expect(named('execute_tool Bash').status.code).toBe(SpanStatusCode.UNSET)
})

it('a failed call, one that ended with an error, and an aborted message say so', () => {
  commit(started(1), turn, ready(3, 'a'), ready(3, 'b'))
  commit(event(4, 'tool.failed', { call_id: 'a', error: { code: 'denied_rule', layer: 'permission' } }))
  commit(event(4, 'tool.completed', { call_id: 'b', output_text: 'no', is_error: true }))
  commit(event(5, 'message.aborted', { error: { code: 'model_timeout' } }))
  const errors = ['execute_tool a', 'execute_tool b', 'chat m'].map(name => [
    named(name).status.code,
    named(name).attributes['error.type'],
  ])
  expect(errors).toEqual([
    [SpanStatusCode.ERROR, 'denied_rule'],
    [SpanStatusCode.ERROR, 'tool_error'],
    [SpanStatusCode.ERROR, 'model_timeout'],
  ])
})

it('the run of a subagent hangs below the run that it serves, and its calls below itself', () => {
  const agent = { agent_run_id: 'child' }
  commit(started(1), started(2, agent))
  commit({ ...ready(3, 'Read'), ...agent })
  commit(event(4, 'tool.completed', { call_id: 'Read', output_text: '', is_error: false, ...agent }))
  commit(event(5, 'run.completed', agent), event(6, 'run.completed'))
  const [child, parent] = exporter.getFinishedSpans().filter(span => span.name.startsWith('invoke_agent'))
  expect(child?.parentSpanContext?.spanId).toBe(parent?.spanContext().spanId)
  expect(parent?.parentSpanContext).toBeUndefined()
  expect(named('execute_tool Read').parentSpanContext?.spanId).toBe(child?.spanContext().spanId)
})

const links = (span: ReadableSpan | undefined): readonly string[] =>
  span?.links.map(link => link.context.spanId) ?? []

it('a process that takes a paused run up makes the spans of the wait and of the call from the log', async () => {
  const asked = event(4, 'tool.approval_requested', { approval_id: 'a', call_id: 'Bash', name: 'Bash' })
  const past = [started(1), ready(3, 'Bash'), asked, event(5, 'run.paused', { reason: 'r', pending: [] })]
  const store = createMemoryStore()
  await store.append([{ session: 's', create: true, events: past as SessionEvent[] }])
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  observe = observeSpans({ tracer: provider.getTracer('test'), log: store })
  const next = { run_id: 'r2' }
  commit(started(3600, { ...next, resumes_run_id: 'r' }))
  commit(
    event(3601, 'tool.approval_resolved', { ...next, approval_id: 'a', call_id: 'Bash', decision: 'denied' }),
  )
  commit(event(3605, 'tool.completed', { ...next, call_id: 'Bash', output_text: '', is_error: true }))
  commit(event(3606, 'run.completed', next))
  await expect.poll(() => exporter.getFinishedSpans().length, { timeout: 60_000 }).toBe(3)
  const run = named('invoke_agent toolwire')
  expect(times(named('wait_approval Bash'))).toEqual([4, 3601])
  expect(links(named('wait_approval Bash'))).toEqual([run.spanContext().spanId])
  expect(times(named('execute_tool Bash'))).toEqual([3601, 3605])
  expect(named('execute_tool Bash').status.code).toBe(SpanStatusCode.ERROR)
  expect(named('execute_tool Bash').parentSpanContext?.spanId).toBe(run.spanContext().spanId)
  expect(run.attributes['toolwire.run.resumes']).toBe('r')
})

it('an approval given while its run continues waits below its call', () => {
  commit(started(1), ready(3, 'Bash'))
  commit(event(4, 'tool.approval_requested', { approval_id: 'a', call_id: 'Bash', name: 'Bash' }))
  commit(event(6, 'tool.approval_resolved', { approval_id: 'a', call_id: 'Bash', decision: 'approved' }))
  commit(event(7, 'tool.completed', { call_id: 'Bash', output_text: '', is_error: false }))
  const [wait, call] = [named('wait_approval Bash'), named('execute_tool Bash')]
  expect(wait.parentSpanContext?.spanId).toBe(call.spanContext().spanId)
  expect(links(wait)).toEqual([])
})

it('what never ends is ended when too much is open, and what was not stored makes no span', () => {
  for (let i = 0; i <= 20_000; i++) commit(started(1, { run_id: `r${i}` }))
  expect(exporter.getFinishedSpans()).toHaveLength(1)
  observe(
    { session: 's', events: [event(9, 'run.completed', { run_id: 'r9' }) as SessionEvent] },
    { dup: 1 },
    1,
  )
  expect(exporter.getFinishedSpans()).toHaveLength(1)
})

it('without an SDK no event is looked at beyond its kind, except the one that begins a run', () => {
  const touched: string[] = []
  /** Records the fields that are read. */
  const watched = (type: string): SessionEvent =>
    new Proxy({ type, ts: new Date(0).toISOString() } as unknown as SessionEvent, {
      get(target, field) {
        if (field !== 'type') touched.push(`${type}.${String(field)}`)
        return Reflect.get(target, field)
      },
    })
  // The API's own tracer while no other is registered.
  const plain = observeSpans({ hasContent: true })
  const rest = [
    'turn.started',
    'block.delta',
    'block.completed',
    'tool.ready',
    'tool.completed',
    'run.completed',
  ]
  plain({ session: 's', events: ['run.started', ...rest].map(watched) }, { head: 7 }, 1)
  plain({ session: 's', events: rest.map(watched) }, { head: 13 }, 1)
  expect(touched.filter(field => !field.startsWith('run.started.'))).toEqual([])
  expect(touched).toContain('run.started.model')
})

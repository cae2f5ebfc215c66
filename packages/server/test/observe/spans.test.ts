/** Spans of real runs, caught by the SDK's exporter in memory. */
import { SpanStatusCode, type Tracer } from '@opentelemetry/api'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { observeSpans } from '../../src/observe/log-spans.ts'
import { type Running, startServer } from '../start-server.ts'

let running: Running
let exporter: InMemorySpanExporter
beforeEach(async () => {
  exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  running = await startServer({}, { observers: [observeSpans({ tracer: provider.getTracer('test') })] })
})
afterEach(() => running.close())

async function say(message: string): Promise<string> {
  const session_id = await running.newSession()
  await (await running.chat({ session_id, message })).text()
  await running.settled()
  return session_id
}

const named = (name: string): ReadableSpan => {
  const found = exporter.getFinishedSpans().find(span => span.name === name)
  if (!found) throw new Error(`no span ${name}: ${exporter.getFinishedSpans().map(span => span.name)}`)
  return found
}
const all = (name: string): readonly ReadableSpan[] =>
  exporter.getFinishedSpans().filter(span => span.name === name)
const idOf = (span: ReadableSpan | undefined): string | undefined => span?.spanContext().spanId
const parentOf = (span: ReadableSpan | undefined): string | undefined => span?.parentSpanContext?.spanId
const linksOf = (span: ReadableSpan | undefined): readonly string[] | undefined =>
  span?.links.map(link => link.context.spanId)
const millis = ([seconds, nanos]: readonly [number, number]): number => seconds * 1000 + nanos / 1e6
/** Every span begins and ends within the one that it hangs below. */
function outlivesNobody(): void {
  const spans = exporter.getFinishedSpans()
  for (const span of spans) {
    const parent = spans.find(one => idOf(one) === parentOf(span))
    if (!parent) continue
    expect(millis(span.startTime)).toBeGreaterThanOrEqual(millis(parent.startTime))
    expect(millis(span.endTime)).toBeLessThanOrEqual(millis(parent.endTime))
  }
}

it('a run is invoke_agent with chat below it, with tokens and without a word of the conversation', async () => {
  const session = await say('echo a secret word')
  const run = named('invoke_agent toolwire')
  const chat = named('chat demo')
  expect(run.attributes).toMatchObject({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.conversation.id': session,
    'toolwire.run.outcome': 'completed',
  })
  expect(chat.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'scripted',
    'gen_ai.usage.input_tokens': 4,
    'gen_ai.usage.output_tokens': 2,
    'gen_ai.usage.cache_read.input_tokens': 1,
    'gen_ai.usage.cache_creation.input_tokens': 0,
    'gen_ai.response.finish_reasons': ['end_turn'],
  })
  expect(parentOf(chat)).toBe(run.spanContext().spanId)
  expect(
    JSON.stringify(exporter.getFinishedSpans().map(span => [span.name, span.attributes, span.events])),
  ).not.toContain('secret')
})

it('a call that asks is execute_tool before and after the pause, and the wait a separate span, linked to both', async () => {
  await say('ask')
  const [item] = (await running.json('GET', '/api/pending')).body.pending
  await running.json('POST', `/api/approvals/${item.id}`, { decision: 'denied', reason: 'no' })
  await running.settled()
  const [asking, went] = all('execute_tool Danger')
  const [before, after] = all('invoke_agent toolwire')
  const wait = named('wait_approval Danger')
  expect(asking?.attributes).toMatchObject({
    'gen_ai.tool.name': 'Danger',
    'gen_ai.tool.call.id': item.call_id,
    'toolwire.paused': true,
  })
  expect([parentOf(asking), parentOf(went)]).toEqual([idOf(before), idOf(after)])
  expect([linksOf(went), linksOf(after)]).toEqual([[idOf(asking)], [idOf(before)]])
  expect(after?.attributes['toolwire.run.resumes']).toBe(before?.attributes['toolwire.run.id'])
  expect(wait.attributes['toolwire.approval.decision']).toBe('denied')
  expect([parentOf(wait), linksOf(wait)]).toEqual([undefined, [idOf(asking), idOf(after)]])
  outlivesNobody()
})

it('what was said, asked and answered is in the spans only when that is asked for, and never without end', async () => {
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const told = await startServer(
    {},
    { observers: [observeSpans({ tracer: provider.getTracer('test'), hasContent: true })] },
  )
  const ask = async (message: string): Promise<void> => {
    const session_id = await told.newSession()
    await (await told.chat({ session_id, message })).text()
    await told.settled()
  }
  try {
    await ask('echo aloud')
    expect(JSON.parse(String(named('chat demo').attributes['gen_ai.output.messages']))).toEqual([
      { role: 'assistant', parts: [{ type: 'text', content: 'echo aloud' }] },
    ])
    exporter.reset()
    await ask('long 5000')
    expect(String(named('chat demo').attributes['gen_ai.output.messages']).length).toBeLessThan(17_000)
    await ask('ask')
    const [item] = (await told.json('GET', '/api/pending')).body.pending
    await told.json('POST', `/api/approvals/${item.id}`, { decision: 'approved' })
    await told.settled()
    const call = named('execute_tool Danger').attributes
    expect(JSON.parse(String(call['gen_ai.tool.call.arguments']))).toEqual({ n: 0 })
    expect(String(call['gen_ai.tool.call.result'])).toMatch(/\S/)
  } finally {
    await told.close()
  }
})

it('a failed run says so by its code', async () => {
  await say('fail')
  const run = named('invoke_agent toolwire')
  expect(run.status.code).toBe(SpanStatusCode.ERROR)
  expect(run.attributes['error.type']).toBe('model_overloaded')
})

it('without an SDK nothing is remembered', async () => {
  const started: string[] = []
  const tracer = {
    startSpan: (name: string) => {
      started.push(name)
      return { isRecording: () => false, end() {}, setAttributes() {}, setAttribute() {}, setStatus() {} }
    },
  } as unknown as Tracer
  const observe = observeSpans({ tracer, hasContent: true })
  const at = { ts: '2026-01-01T00:00:00.000Z', run_id: 'r' }
  const events = [
    { type: 'run.started', ...at, conversation_id: 'r', trigger: 'message', client_tools: [], model: 'm' },
    { type: 'turn.started', ...at, turn: 1, provider: 'p', model: 'm', attempt: 1 },
  ] as const
  observe({ session: 's', events: events.map(event => ({ ...event, client_tools: [] })) }, { head: 2 }, 1)
  expect(started).toEqual(['invoke_agent toolwire'])
})

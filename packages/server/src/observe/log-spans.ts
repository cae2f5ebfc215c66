/**
 * OpenTelemetry spans by the GenAI conventions, derived from commits to the log: invoke_agent for a run, chat for
 * a model's message, execute_tool for a call, and one for the waiting time of an approval. Names and numbers only:
 * no conversation text unless enabled. A pause ends the span of its run and those of its calls; what continues
 * after it has new spans, linked to the earlier ones where this process knows them. The span of an approval is
 * made when it ends, from the times in the log, also if another process asked.
 */
import { SpanKind, type Tracer, trace } from '@opentelemetry/api'
import type { EventOf, SessionEvent, Store } from '@toolwire/core'
import { RecentMap } from '@toolwire/core'
import { findInLog } from './find-in-log.ts'
import type { StoreObserver } from './observe-store.ts'
import { type Attributes, createSpanBook, type Outcome, type SpanRegistry } from './span-registry.ts'

const KEEP = 20_000

/** A span is no place for a book. */
const MOST_CONTENT = 16_384

interface SpanOptions {
  readonly tracer?: Tracer
  /** Answers of models, arguments and results of calls go into the spans too, cut at 16,384 characters each. */
  readonly hasContent?: boolean
  /** Finds spans that another process started; without it those calls and waits have no spans. */
  readonly log?: Pick<Store, 'read'>
}

/** Costs one check per append while no SDK is registered. */
export function observeSpans(options: SpanOptions = {}): StoreObserver {
  const { tracer = trace.getTracer('toolwire'), hasContent = false, log } = options
  const book = createSpanBook(tracer)
  const scene: Scene = {
    book,
    asked: new RecentMap(KEEP),
    since: new RecentMap(KEEP),
    content: (name, text) => (hasContent ? { [name]: text.slice(0, MOST_CONTENT) } : {}),
    hasContent,
    async find(session, type, fits) {
      try {
        return log && (await findInLog(log, session, type, fits))
      } catch {
        // An unreadable log is reported elsewhere.
        return undefined
      }
    },
  }
  return (write, answer) => {
    if (!('head' in answer)) return
    for (const event of write.events) {
      // Everything hangs below a run: while none is open there is nothing to end.
      if (event.type !== 'run.started' && book.isIdle()) continue
      stepRun(write.session, event, scene)
      stepTurn(write.session, event, scene)
      // Before the call continues: the wait belongs to the call as it was when it asked.
      stepApproval(write.session, event, scene)
      stepCall(write.session, event, scene)
    }
  }
}

interface Scene {
  readonly book: SpanRegistry
  /** Questions that wait for an answer. */
  readonly asked: RecentMap<string, EventOf<'tool.approval_requested'>>
  /** First time that this process saw calls started by another one. */
  readonly since: RecentMap<string, string>
  /** Nothing, unless content is asked for. */
  readonly content: (name: string, text: string) => Attributes
  readonly hasContent: boolean
  readonly find: <T extends SessionEvent['type']>(
    session: string,
    type: T,
    fits: (event: EventOf<T>) => boolean,
  ) => Promise<EventOf<T> | undefined>
}

/** A subagent's run has the run id of its root; the agent's id makes the key unique. */
const runKey = (session: string, event: Pick<SessionEvent, 'run_id' | 'agent_run_id'>): string =>
  `run:${session}:${event.run_id}:${event.agent_run_id ?? ''}`
const callKey = (session: string, call_id: string): string => `call:${session}:${call_id}`

function stepRun(session: string, event: SessionEvent, { book }: Scene): void {
  const key = runKey(session, event)
  if (event.type === 'run.started') beginRun(session, event, book)
  if (event.type === 'run.paused')
    book.suspend(key, event, { attributes: { 'toolwire.run.outcome': `paused:${event.reason}` } })
  if (event.type === 'run.completed')
    book.end(key, event, { attributes: { 'toolwire.run.outcome': 'completed' } })
  if (event.type === 'run.cancelled')
    book.end(key, event, { attributes: { 'toolwire.run.outcome': 'cancelled' } })
  if (event.type === 'run.failed')
    book.end(key, event, { attributes: { 'toolwire.run.outcome': 'failed' }, error: event.error.code })
}

function beginRun(session: string, event: EventOf<'run.started'>, book: SpanRegistry): void {
  const { run_id, agent_run_id, resumes_run_id } = event
  book.begin(runKey(session, event), event, {
    name: 'invoke_agent toolwire',
    ...(agent_run_id === undefined ? {} : { parent: runKey(session, { run_id }) }),
    ...(resumes_run_id === undefined
      ? {}
      : { after: runKey(session, { run_id: resumes_run_id, agent_run_id }) }),
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'toolwire',
      'gen_ai.conversation.id': session,
      'gen_ai.request.model': event.model,
      'toolwire.run.id': run_id ?? '',
      'toolwire.run.trigger': event.trigger,
      // Also where the span of that run is not known: another process made it.
      ...(resumes_run_id === undefined ? {} : { 'toolwire.run.resumes': resumes_run_id }),
    },
  })
}

function stepTurn(session: string, event: SessionEvent, { book, hasContent }: Scene): void {
  const run = runKey(session, event)
  const key = `turn:${run}`
  if (event.type === 'block.completed' && event.text && hasContent) {
    const { text } = event
    book.set(key, before => told((before + text).slice(0, MOST_CONTENT)))
  }
  if (event.type === 'turn.started')
    book.begin(key, event, {
      name: `chat ${event.model}`,
      parent: run,
      kind: SpanKind.CLIENT,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.conversation.id': session,
        'gen_ai.provider.name': event.provider,
        'gen_ai.request.model': event.model,
      },
    })
  if (event.type === 'turn.completed')
    book.end(key, event, {
      attributes: {
        'gen_ai.response.finish_reasons': [event.stop_reason],
        'gen_ai.usage.input_tokens': event.usage.input + event.usage.cache_read + event.usage.cache_write,
        'gen_ai.usage.cache_read.input_tokens': event.usage.cache_read,
        'gen_ai.usage.cache_creation.input_tokens': event.usage.cache_write,
        'gen_ai.usage.output_tokens': event.usage.output,
        ...(event.model === undefined ? {} : { 'gen_ai.response.model': event.model }),
        ...(event.request_id === undefined ? {} : { 'gen_ai.response.id': event.request_id }),
      },
    })
  if (event.type === 'message.aborted') book.end(key, event, { error: event.error?.code ?? 'aborted' })
}

function told(said: string): { readonly said: string; readonly attributes: Attributes } {
  const parts = [{ type: 'text', content: said }]
  return {
    said,
    attributes: { 'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts }]) },
  }
}

function stepCall(session: string, event: SessionEvent, scene: Scene): void {
  switch (event.type) {
    case 'tool.ready':
      scene.book.begin(callKey(session, event.call_id), event, {
        name: `execute_tool ${event.name}`,
        parent: runKey(session, event),
        attributes: toCall(session, event, scene),
      })
      break
    case 'tool.approval_resolved':
    case 'tool.started':
      resumeCallSpan(session, event, scene)
      break
    case 'tool.completed':
      endCall(session, event, scene, {
        attributes: scene.content('gen_ai.tool.call.result', event.output_text),
        ...(event.is_error ? { error: 'tool_error' } : {}),
      })
      break
    case 'tool.failed':
      endCall(session, event, scene, { error: event.error.code })
      break
    default:
  }
}

const toCall = (session: string, event: EventOf<'tool.ready'>, { content }: Scene): Attributes => ({
  'gen_ai.operation.name': 'execute_tool',
  'gen_ai.tool.name': event.name,
  'gen_ai.tool.type': event.executor === 'client' ? 'extension' : 'function',
  'gen_ai.tool.call.id': event.call_id,
  'gen_ai.conversation.id': session,
  ...content('gen_ai.tool.call.arguments', event.input_text),
})

type OfCall = Extract<SessionEvent, { readonly call_id: string }>

/** A call that a pause interrupted continues below the run that resumed it. */
function resumeCallSpan(session: string, event: OfCall, { book, since }: Scene): void {
  const key = callKey(session, event.call_id)
  if (book.isOpen(key) || book.resume(key, event, runKey(session, event))) return
  if (since.get(key) === undefined) since.set(key, event.ts)
}

function endCall(session: string, event: OfCall, scene: Scene, outcome: Outcome): void {
  const { book, since } = scene
  const key = callKey(session, event.call_id)
  resumeCallSpan(session, event, scene)
  if (book.isOpen(key)) {
    book.end(key, event, outcome)
    return
  }
  const from = since.take(key) ?? event.ts
  const make = book.place(runKey(session, event))
  const { call_id, ts: to } = event
  void scene
    .find(session, 'tool.ready', ready => ready.call_id === call_id)
    .then(ready => {
      if (!ready) return
      make({
        name: `execute_tool ${ready.name}`,
        attributes: toCall(session, ready, scene),
        from,
        to,
        outcome,
      })
    })
}

function stepApproval(session: string, event: SessionEvent, { book, asked, find }: Scene): void {
  if (event.type === 'tool.approval_requested') asked.set(event.approval_id, event)
  if (event.type !== 'tool.approval_resolved') return
  const { approval_id, call_id, decision, ts: to } = event
  const call = callKey(session, call_id)
  const make = book.place(call, call, runKey(session, event))
  const told = (question: EventOf<'tool.approval_requested'> | undefined): void => {
    if (!question) return
    const attributes = {
      'gen_ai.tool.name': question.name,
      'gen_ai.tool.call.id': call_id,
      'gen_ai.conversation.id': session,
      'toolwire.approval.decision': decision,
    }
    make({ name: `wait_approval ${question.name}`, attributes, from: question.ts, to })
  }
  const known = asked.take(approval_id)
  if (known) told(known)
  else void find(session, 'tool.approval_requested', one => one.approval_id === approval_id).then(told)
}

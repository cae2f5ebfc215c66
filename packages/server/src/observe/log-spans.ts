/**
 * OpenTelemetry spans by the GenAI conventions, read off what is committed to the log:
 * invoke_agent for a run, chat for an answer of the model, execute_tool for a call, and one for
 * the time that an approval waits. Names and figures only: no word of a conversation, unless it is asked for.
 */
import {
  type Context,
  context as contextApi,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type { SessionEvent } from '@toolwire/core'
import type { StoreObserver } from './observe-store.ts'
import { createRecentMap } from './recent-map.ts'

const KEEP = 20_000

/** A span is no place for a book. */
const MOST_CONTENT = 16_384

interface Open {
  readonly span: Span
  readonly context: Context
  /** What the model has said in it so far, when that is asked for. */
  said: string
}

interface SpanOptions {
  readonly tracer?: Tracer
  /** Answers of models, arguments and results of calls go into the spans too, cut at 16,384 characters each. */
  readonly hasContent?: boolean
}

/** Costs one check per append while no SDK is registered. */
export function observeSpans(options: SpanOptions = {}): StoreObserver {
  const { tracer = trace.getTracer('toolwire'), hasContent = false } = options
  const open = createRecentMap<Open>(KEEP, ({ span }) => span.end())

  function begin(key: string, name: string, event: SessionEvent, more: Begin): void {
    const parent =
      (more.parent === undefined ? undefined : open.get(more.parent)?.context) ?? contextApi.active()
    const span = tracer.startSpan(
      name,
      { kind: more.kind ?? SpanKind.INTERNAL, startTime: new Date(event.ts), attributes: more.attributes },
      parent,
    )
    // Without an SDK nothing records: then nothing is remembered either.
    if (span.isRecording()) open.set(key, { span, context: trace.setSpan(parent, span), said: '' })
  }
  function end(key: string, event: SessionEvent, outcome: Outcome = {}): void {
    const found = open.take(key)
    if (!found) return
    if (outcome.attributes) found.span.setAttributes(outcome.attributes)
    if (outcome.error !== undefined) {
      found.span.setAttribute('error.type', outcome.error)
      found.span.setStatus({ code: SpanStatusCode.ERROR })
    }
    found.span.end(new Date(event.ts))
  }
  function say(key: string, text: string): void {
    const turn = hasContent ? open.get(key) : undefined
    if (!turn) return
    turn.said = (turn.said + text).slice(0, MOST_CONTENT)
    const parts = [{ type: 'text', content: turn.said }]
    turn.span.setAttribute('gen_ai.output.messages', JSON.stringify([{ role: 'assistant', parts }]))
  }
  const content = (name: string, text: string): Attributes =>
    hasContent ? { [name]: text.slice(0, MOST_CONTENT) } : {}
  const idle = (): boolean => open.size() === 0

  return (write, answer) => {
    if (!('head' in answer)) return
    for (const event of write.events) {
      // Everything hangs below a run: while none is open there is nothing to end.
      if (event.type !== 'run.started' && idle()) continue
      step(write.session, event, { begin, end, say, content })
    }
  }
}

type Attributes = Record<string, string | number | boolean | string[]>
interface Begin {
  readonly parent?: string
  readonly kind?: SpanKind
  readonly attributes: Attributes
}
interface Outcome {
  readonly attributes?: Attributes
  readonly error?: string
}
interface Voice {
  readonly begin: (key: string, name: string, event: SessionEvent, more: Begin) => void
  readonly end: (key: string, event: SessionEvent, outcome?: Outcome) => void
  /** More of what the model says in this turn. */
  readonly say: (key: string, text: string) => void
  /** Nothing, unless content is asked for. */
  readonly content: (name: string, text: string) => Attributes
}

/** A subagent's run has the run id of its root; the agent's id tells them apart. */
const runKey = (session: string, event: SessionEvent): string =>
  `run:${session}:${event.run_id}:${event.agent_run_id ?? ''}`

function step(session: string, event: SessionEvent, voice: Voice): void {
  stepRun(session, event, voice)
  stepTurn(session, event, voice)
  stepCall(session, event, voice)
}

function stepRun(session: string, event: SessionEvent, { begin, end }: Voice): void {
  const key = runKey(session, event)
  if (event.type === 'run.started')
    begin(key, 'invoke_agent toolwire', event, {
      ...(event.agent_run_id === undefined ? {} : { parent: `run:${session}:${event.run_id}:` }),
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': 'toolwire',
        'gen_ai.conversation.id': session,
        'gen_ai.request.model': event.model,
        'toolwire.run.id': event.run_id ?? '',
        'toolwire.run.trigger': event.trigger,
      },
    })
  if (event.type === 'run.paused')
    end(key, event, { attributes: { 'toolwire.run.outcome': `paused:${event.reason}` } })
  if (event.type === 'run.completed') end(key, event, { attributes: { 'toolwire.run.outcome': 'completed' } })
  if (event.type === 'run.cancelled') end(key, event, { attributes: { 'toolwire.run.outcome': 'cancelled' } })
  if (event.type === 'run.failed')
    end(key, event, { attributes: { 'toolwire.run.outcome': 'failed' }, error: event.error.code })
}

function stepTurn(session: string, event: SessionEvent, { begin, end, say }: Voice): void {
  const run = runKey(session, event)
  if (event.type === 'block.completed' && event.text) say(`turn:${run}`, event.text)
  if (event.type === 'turn.started')
    begin(`turn:${run}`, `chat ${event.model}`, event, {
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
    end(`turn:${run}`, event, {
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
  if (event.type === 'message.aborted') end(`turn:${run}`, event, { error: event.error?.code ?? 'aborted' })
}

function stepCall(session: string, event: SessionEvent, { begin, end, content }: Voice): void {
  if (event.type === 'tool.ready')
    begin(`call:${session}:${event.call_id}`, `execute_tool ${event.name}`, event, {
      parent: runKey(session, event),
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': event.name,
        'gen_ai.tool.type': event.executor === 'client' ? 'extension' : 'function',
        'gen_ai.tool.call.id': event.call_id,
        'gen_ai.conversation.id': session,
        ...content('gen_ai.tool.call.arguments', event.input_text),
      },
    })
  if (event.type === 'tool.completed')
    end(`call:${session}:${event.call_id}`, event, {
      attributes: content('gen_ai.tool.call.result', event.output_text),
      ...(event.is_error ? { error: 'tool_error' } : {}),
    })
  if (event.type === 'tool.failed')
    end(`call:${session}:${event.call_id}`, event, { error: event.error.code })
  if (event.type === 'tool.approval_requested')
    begin(`approval:${event.approval_id}`, `wait_approval ${event.name}`, event, {
      parent: `call:${session}:${event.call_id}`,
      attributes: { 'gen_ai.tool.name': event.name, 'gen_ai.tool.call.id': event.call_id },
    })
  if (event.type === 'tool.approval_resolved')
    end(`approval:${event.approval_id}`, event, {
      attributes: { 'toolwire.approval.decision': event.decision },
    })
}

/**
 * The Responses API as a pure fold: log records in, numbered events out. One response is one run. Items never interleave,
 * every item is announced, repeated when it is done and listed at the end. A failure is an `error` event and the failed
 * response, because half of the clients see only one of the two.
 */
import type { Rec } from '@toolwire/core'
import type { AnswerFinish, AnswerPart, Citation } from '../gateway/answer-part.ts'
import { type AnswerState, initialAnswer, stepAnswer } from '../gateway/step-answer.ts'
import { mergeWarnings } from '../gateway/warning.ts'
import { defineWire, type Frame, NO_FRAMES, type Projection, type ProjectionContext } from '../wire.ts'
import { toStreamError } from './error-body.ts'
import {
  annotationEvent,
  deltaEvents,
  doneItem,
  endEvents,
  type ItemEvent,
  type OpenItem,
  openItem,
  startEvents,
} from './item-events.ts'
import {
  type OutputItem,
  type ResponseObject,
  type ResponseStatus,
  toResponseId,
  toResponseUsage,
} from './response.ts'
import { type ResponseRecord, readRecord } from './response-record.ts'

export interface ResponsesOptions {
  /** The id that the request named. */
  readonly model?: string
  /** Events up to this number were seen. */
  readonly after?: number
}

export interface ResponsesState {
  readonly session_id: string
  readonly options: ResponsesOptions
  readonly answer: AnswerState
  readonly record: ResponseRecord
  readonly head: { readonly id: string; readonly created_at: number; readonly model: string }
  readonly open: OpenItem | undefined
  readonly output: readonly OutputItem[]
  /** The response as its latest event showed it. */
  readonly response: ResponseObject | undefined
}

/** More events than one record can make. */
const PER_RECORD = 10_000

export const responsesProjection: Projection<ResponsesState> = {
  initial: toInitial,
  step(state, rec: Rec) {
    const [answer, parts] = stepAnswer(state.answer, rec)
    let next: ResponsesState = { ...state, answer }
    if (parts.length === 0) return [next, NO_FRAMES]
    if (rec.ev.type === 'run.started') next = { ...next, record: readRecord(rec.ev.options) }
    const events: ItemEvent[] = []
    for (const part of parts) next = project(next, part, rec.ev.ts, events)
    return [next, toFrames(events, rec.seq, next)]
  },
}

/** Watch any run through it. Options: see `ResponsesOptions`. */
export const responsesWire = defineWire('openai-responses', responsesProjection)

function toInitial({ session_id, options }: ProjectionContext): ResponsesState {
  return {
    session_id,
    options: (options ?? {}) as ResponsesOptions,
    answer: initialAnswer,
    record: readRecord(undefined),
    head: { id: '', created_at: 0, model: '' },
    open: undefined,
    output: [],
    response: undefined,
  }
}

const ENDS: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete', 'response.failed'])

/** The number of an event follows from its position in the log, so that cursors outlive a restart. */
function toFrames(events: readonly ItemEvent[], seq: number, { options }: ResponsesState): readonly Frame[] {
  const after = options.after ?? -1
  return events.flatMap((event, k): readonly Frame[] => {
    const sequence_number = seq * PER_RECORD + k
    const done: readonly Frame[] = ENDS.has(event.type) ? [{ data: '[DONE]' }] : []
    if (sequence_number <= after) return done
    const data = JSON.stringify({ ...event, sequence_number })
    return [{ event: event.type, data }, ...done]
  })
}

function project(state: ResponsesState, part: AnswerPart, ts: string, out: ItemEvent[]): ResponsesState {
  switch (part.type) {
    case 'begin':
      return begin(state, part, out)
    case 'open': {
      const form = part.block.kind === 'call' ? formOf(state.record, part.block.name) : undefined
      const id = state.head.id.slice('resp_'.length)
      const open = openItem(part.block, { id, index: state.output.length, form })
      if (open) out.push(...startEvents(open))
      return { ...state, open }
    }
    case 'delta': {
      const { open } = state
      if (!open) return state
      out.push(...deltaEvents(open, part.text))
      return { ...state, open: { ...open, text: open.text + part.text } }
    }
    case 'citation':
      return cite(state, part.citation, out)
    case 'close':
      return close(state, true, out)
    case 'signature':
      return state
    case 'finish':
      return finish(state, part, ts, out)
    case 'error': {
      const closed = close(state, false, out)
      const error = toStreamError(part.error)
      const { type: _, ...flat } = error
      out.push({ type: 'error', ...flat, error })
      const usage = toResponseUsage(part.usage)
      return end(
        closed,
        { status: 'failed', error: { code: error.code, message: error.message }, usage },
        ts,
        out,
      )
    }
  }
}

/** Own properties alone: a model may call a tool by any name. */
const formOf = ({ forms }: ResponseRecord, name: string) =>
  Object.hasOwn(forms, name) ? forms[name] : undefined

function begin(
  state: ResponsesState,
  part: Extract<AnswerPart, { type: 'begin' }>,
  out: ItemEvent[],
): ResponsesState {
  const head = {
    id: toResponseId(state.session_id, part.seq),
    created_at: Math.floor(Date.parse(part.ts) / 1000),
    model: state.options.model ?? part.model,
  }
  const fresh = { ...state, head, open: undefined, output: [] }
  const response = toResponse(fresh, { status: 'in_progress' })
  out.push({ type: 'response.created', response }, { type: 'response.in_progress', response })
  return { ...fresh, response }
}

type Outcome = Partial<
  Pick<ResponseObject, 'error' | 'incomplete_details' | 'usage' | 'completed_at' | 'warnings' | 'pending'>
> & { readonly status: ResponseStatus }

function toResponse(state: ResponsesState, { status, ...outcome }: Outcome): ResponseObject {
  const { id, created_at, model } = state.head
  return {
    id,
    object: 'response',
    created_at,
    completed_at: null,
    status,
    model,
    output: state.output,
    error: null,
    incomplete_details: null,
    ...state.record.echo,
    usage: null,
    session_id: state.session_id,
    ...outcome,
  }
}

/** Sources that have an address. */
function cite(state: ResponsesState, citation: Citation, out: ItemEvent[]): ResponsesState {
  const { open } = state
  const { url, title } = citation
  if (typeof url !== 'string' || open?.kind !== 'text') return state
  const range = { start_index: 0, end_index: open.text.length }
  const annotation = { type: 'url_citation', url, title: typeof title === 'string' ? title : '', ...range }
  out.push(annotationEvent(open, annotation))
  return { ...state, open: { ...open, annotations: [...open.annotations, annotation] } }
}

function close(state: ResponsesState, isWhole: boolean, out: ItemEvent[]): ResponsesState {
  const { open } = state
  if (!open) return state
  const done = doneItem(open, isWhole)
  out.push(...endEvents(open, done))
  return { ...state, open: undefined, output: [...state.output, done] }
}

function finish(state: ResponsesState, part: AnswerFinish, ts: string, out: ItemEvent[]): ResponsesState {
  const warnings = mergeWarnings(state.record.warnings, part.warnings)
  return end(
    state,
    {
      ...toOutcome(part.reason),
      usage: toResponseUsage(part.usage),
      ...(warnings.length > 0 ? { warnings } : {}),
      ...(part.waiting.length > 0 ? { pending: part.waiting } : {}),
    },
    ts,
    out,
  )
}

function toOutcome(reason: AnswerFinish['reason']): Outcome {
  switch (reason) {
    case 'length':
      return { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
    case 'content_filter':
      return { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }
    case 'cancelled':
      return { status: 'cancelled', incomplete_details: { reason: 'cancelled' } }
    case 'stop':
    case 'tool_calls':
    case 'refusal':
    case 'pause':
    case 'error':
      return { status: 'completed' }
  }
}

const EVENTS: Readonly<Partial<Record<ResponseStatus, string>>> = {
  failed: 'response.failed',
  incomplete: 'response.incomplete',
  // The one event for it that no client takes for a broken stream.
  cancelled: 'response.incomplete',
}

function end(state: ResponsesState, outcome: Outcome, ts: string, out: ItemEvent[]): ResponsesState {
  const isComplete = outcome.status === 'completed'
  const completed_at = isComplete ? Math.floor(Date.parse(ts) / 1000) : null
  const response = toResponse(state, { ...outcome, completed_at })
  out.push({ type: EVENTS[outcome.status] ?? 'response.completed', response })
  return { ...state, response }
}

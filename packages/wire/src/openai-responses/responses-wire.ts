/**
 * The Responses API as a pure fold: log records in, numbered events out. One response is one run. Items never interleave,
 * every item is announced, repeated when it is done and listed at the end. A failure is an `error` event and the failed
 * response, because half of the clients see only one of the two.
 */
import type { Opaque, Rec } from '@toolwire/core'
import type { AnswerFinish, AnswerPart, Citation, OpenBlock } from '../gateway/answer-part.ts'
import { citedRange } from '../gateway/cited-range.ts'
import { type AnswerState, initialAnswer, stepAnswer } from '../gateway/step-answer.ts'
import { mergeWarnings, type Warning } from '../gateway/warning.ts'
import { defineWire, type Frame, NO_FRAMES, type Projection, type ProjectionContext } from '../wire.ts'
import { toStreamError } from './error-body.ts'
import {
  annotationEvent,
  doneItem,
  endEvents,
  growItem,
  type ItemEnd,
  type ItemEvent,
  type OpenItem,
  openItem,
  searchEvents,
  searchItem,
  startEvents,
  wholeItem,
} from './item-events.ts'
import {
  type OutputItem,
  type ResponseObject,
  type ResponseStatus,
  toResponseId,
  toResponseUsage,
} from './response.ts'
import { type ResponseRecord, readRecord } from './response-record.ts'
import { type Seal, sealSummary, sealThinking, type ThinkingPart } from './sealed-content.ts'

export interface ResponsesOptions {
  /** The id that the request named. */
  readonly model?: string
  /** Events up to this number were seen. */
  readonly after?: number
  /** Encrypts what clients carry for the server; equal texts give equal results. Without it they carry nothing. */
  readonly seal?: Seal
}

export interface ResponsesState {
  readonly session_id: string
  readonly options: ResponsesOptions
  readonly answer: AnswerState
  readonly record: ResponseRecord
  readonly head: { readonly id: string; readonly created_at: number; readonly model: string }
  readonly turn: { readonly provider: string; readonly model: string }
  readonly open: OpenItem | undefined
  /** The end of the open item, whose message was aborted; sent with what follows, because the run may begin the message again. */
  readonly cut: ClosePart | undefined
  /** The signature of the thinking that is open. */
  readonly signature: string
  /** Text of a summary, which is sent as a whole. */
  readonly summary: string
  readonly isSummaryText: boolean
  readonly output: readonly OutputItem[]
  /** The response as its latest event showed it. */
  readonly response: ResponseObject | undefined
}

/** More events than one record can make. */
const PER_RECORD = 10_000

export const responsesProjection: Projection<ResponsesState> = {
  initial: toInitial,
  step(state, rec: Rec) {
    const { ev } = rec
    const [answer, parts] = stepAnswer(state.answer, rec)
    let next: ResponsesState = { ...state, answer }
    if (ev.type === 'turn.started' && ev.agent_run_id === undefined)
      next = { ...next, turn: { provider: ev.provider, model: ev.model } }
    if (parts.length === 0) return [next, NO_FRAMES]
    if (ev.type === 'run.started') next = { ...next, record: readRecord(ev.options) }
    const events: ItemEvent[] = []
    for (const part of parts) {
      const isSummary = next.record.compacts && !SHOWN_OF_SUMMARY.has(part.type)
      next = isSummary ? summarize(next, part) : project(next, part, ev.ts, events)
    }
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
    turn: { provider: '', model: '' },
    open: undefined,
    cut: undefined,
    signature: '',
    summary: '',
    isSummaryText: false,
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

function project(before: ResponsesState, part: AnswerPart, ts: string, out: ItemEvent[]): ResponsesState {
  const state = before.cut ? close({ ...before, cut: undefined }, before.cut, out) : before
  switch (part.type) {
    case 'begin':
      return begin(state, part, out)
    case 'open':
      return open(state, part.block, out)
    case 'delta':
      return grow(state, part.text, out)
    case 'citation':
      return cite(state, part.citation, out)
    case 'close':
      return part.cut && state.open ? { ...state, cut: part } : close(state, part, out)
    case 'signature':
      return { ...state, signature: part.signature }
    case 'hidden':
      return addHidden(state, part.opaque, out)
    case 'search':
      return add(state, id => searchItem(part.search, `ws_${id}`), searchEvents, out)
    case 'finish':
      return finish(state, part, ts, out)
    case 'error':
      return fail(state, part, ts, out)
  }
}

/** The text of a summary is kept for its end; nothing else of it is shown. */
function summarize(state: ResponsesState, part: AnswerPart): ResponsesState {
  if (part.type === 'open') return { ...state, isSummaryText: part.block.kind === 'text' }
  const isText = part.type === 'delta' && state.isSummaryText
  return isText ? { ...state, summary: state.summary + part.text } : state
}

const SHOWN_OF_SUMMARY: ReadonlySet<string> = new Set(['begin', 'finish', 'error'])

function grow(state: ResponsesState, text: string, out: ItemEvent[]): ResponsesState {
  if (!state.open) return state
  const [grown, events] = growItem(state.open, text)
  out.push(...events)
  return { ...state, open: grown }
}

function addHidden(state: ResponsesState, opaque: Opaque, out: ItemEvent[]): ResponsesState {
  const content = sealed(state, { type: 'thinking', thinking: '', opaque })
  return add(state, id => ({ id: `rs_${id}`, type: 'reasoning', summary: [], ...content }), wholeItem, out)
}

function open(state: ResponsesState, asked: OpenBlock, out: ItemEvent[]): ResponsesState {
  const isPlain = state.record.plain_refusals && asked.kind === 'refusal'
  const block: OpenBlock = isPlain ? { kind: 'text' } : asked
  const form = block.kind === 'call' ? formOf(state.record, block.name) : undefined
  const opened = openItem(block, { id: idOf(state), index: state.output.length, form })
  if (opened) out.push(...startEvents(opened))
  return { ...state, open: opened, signature: '' }
}

const idOf = ({ head }: ResponsesState): string => head.id.slice('resp_'.length)

/** Adds an item that has no pieces. */
function add(
  state: ResponsesState,
  make: (id: string) => OutputItem,
  toEvents: (item: OutputItem, index: number) => readonly ItemEvent[],
  out: ItemEvent[],
): ResponsesState {
  const index = state.output.length
  const item = make(`${idOf(state)}_${index}`)
  out.push(...toEvents(item, index))
  return { ...state, output: [...state.output, item] }
}

function sealed(
  { options, turn }: ResponsesState,
  part: ThinkingPart,
): { readonly encrypted_content?: string } {
  return options.seal ? { encrypted_content: sealThinking(options.seal, { ...turn, part }) } : {}
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
  const fresh = { ...state, head, open: undefined, cut: undefined, signature: '', summary: '', output: [] }
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
  const range = citedRange(citation, open.text.length)
  const annotation = { type: 'url_citation', url, title: typeof title === 'string' ? title : '', ...range }
  out.push(annotationEvent(open, annotation))
  return { ...state, open: { ...open, annotations: [...open.annotations, annotation] } }
}

type ClosePart = Extract<AnswerPart, { type: 'close' }>

function close(state: ResponsesState, part: ClosePart, out: ItemEvent[]): ResponsesState {
  const { open: opened } = state
  if (!opened) return state
  const thinking = part.cut ? undefined : toThinking(state, opened, part)
  const end: ItemEnd = {
    isWhole: !part.cut,
    opaque: part.opaque,
    ...(thinking ? sealed(state, thinking) : {}),
  }
  const done = doneItem(opened, end)
  out.push(...endEvents(opened, done))
  return { ...state, open: undefined, signature: '', output: [...state.output, done] }
}

function toThinking(
  { signature }: ResponsesState,
  opened: OpenItem,
  { block, opaque }: ClosePart,
): ThinkingPart | undefined {
  const attached = opaque === undefined ? {} : { opaque }
  if (block.kind === 'redacted_thinking') return { type: 'redacted_thinking', data: block.data, ...attached }
  if (block.kind !== 'thinking' || (signature === '' && !opaque)) return undefined
  return {
    type: 'thinking',
    thinking: opened.text,
    ...(signature === '' ? {} : { signature }),
    ...attached,
  }
}

function fail(
  state: ResponsesState,
  part: Extract<AnswerPart, { type: 'error' }>,
  ts: string,
  out: ItemEvent[],
): ResponsesState {
  const error = toStreamError(part.error)
  const { type: _, ...flat } = error
  out.push({ type: 'error', ...flat, error })
  const usage = toResponseUsage(part.usage)
  // Without a type, clients take the whole response for broken.
  return end(state, { status: 'failed', error, usage }, ts, out)
}

function finish(state: ResponsesState, part: AnswerFinish, ts: string, out: ItemEvent[]): ResponsesState {
  const { record } = state
  const isFiltered = part.reason === 'content_filter' && record.plain_refusals === true
  const last = record.compacts ? addSummary(state, out) : isFiltered ? explainFilter(state, out) : state
  const warnings = mergeWarnings(record.warnings, [...part.warnings, ...(isFiltered ? [FILTERED] : [])])
  return end(
    last,
    {
      ...toOutcome(isFiltered ? 'stop' : part.reason),
      usage: toResponseUsage(part.usage),
      ...(warnings.length > 0 ? { warnings } : {}),
      ...(part.waiting.length > 0 ? { pending: part.waiting } : {}),
    },
    ts,
    out,
  )
}

const FILTERED: Warning = {
  code: 'content_filtered',
  message: 'The content filter of the provider ended this answer.',
}

/** Clients that show no filtered answer get the reason as text, unless the answer has text already. */
function explainFilter(state: ResponsesState, out: ItemEvent[]): ResponsesState {
  if (state.output.some(item => item.type === 'message')) return state
  const opened = open(state, { kind: 'text' }, out)
  const filled = grow(opened, FILTERED.message, out)
  return close(filled, { type: 'close', block: { kind: 'text' }, empty: false }, out)
}

/** Exactly one item, also for a summary without text. */
function addSummary(state: ResponsesState, out: ItemEvent[]): ResponsesState {
  const { seal } = state.options
  const encrypted_content = seal ? sealSummary(seal, state.summary) : ''
  return add(state, id => ({ id: `cmp_${id}`, type: 'compaction', encrypted_content }), wholeItem, out)
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

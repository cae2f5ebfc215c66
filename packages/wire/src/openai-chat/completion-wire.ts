/**
 * Chat Completions as a pure fold: log records in, chunks out. One answer is one run. The role
 * comes with the first content, calls have dense indexes and never interleave, and an answer ends
 * with a finish reason and `[DONE]`, or with an error and nothing more.
 */
import type { Rec, Usage } from '@toolwire/core'
import type { AnswerFinish, AnswerPart, Citation, OpenBlock, ServedSearch } from '../gateway/answer-part.ts'
import { citedRange } from '../gateway/cited-range.ts'
import { toChatError } from '../gateway/openai-error.ts'
import { type AnswerState, initialAnswer, stepAnswer } from '../gateway/step-answer.ts'
import { mergeWarnings, type Warning } from '../gateway/warning.ts'
import { defineWire, type Frame, NO_FRAMES, type Projection, type ProjectionContext } from '../wire.ts'
import type { ChatChunk, ChatUsage, ChunkDelta, FinishReason } from './chunk.ts'

/** Options of the projection, from the request. */
export interface CompletionOptions {
  /** The id that the request named. */
  readonly model?: string
  readonly include_usage?: boolean
  /** Answer with `function_call`, one at a time. */
  readonly legacy?: boolean
  /** The answer was asked for as JSON; one that is not is marked. */
  readonly json?: boolean
  readonly warnings?: readonly Warning[]
}

interface CompletionState {
  readonly session_id: string
  readonly options: CompletionOptions
  readonly answer: AnswerState
  readonly head: Pick<ChatChunk, 'id' | 'created' | 'model'>
  readonly begun: boolean
  /** The block being written; absent between blocks and for calls that this dialect cannot show. */
  readonly block: OpenBlock | undefined
  readonly calls: number
  /** The words so far, kept only where they are to be JSON. */
  readonly said: string
  /** Characters of the answer so far, and where the block being written begins among them. */
  readonly length: number
  readonly from: number
  /** Found by searches; undefined once the answer cites sources itself. */
  readonly sources: ServedSearch['sources'] | undefined
}

export const completionProjection: Projection<CompletionState> = {
  initial: toInitial,
  step(state, rec: Rec) {
    const [answer, parts] = stepAnswer(state.answer, rec)
    let next: CompletionState = { ...state, answer }
    if (parts.length === 0) return [next, NO_FRAMES]
    const frames: Frame[] = []
    for (const part of parts) next = project(next, part, frames)
    return [next, frames]
  },
}

/** Watch any run through it. Options: see `CompletionOptions`. */
export const completionWire = defineWire('openai-chat', completionProjection, { memory: 'answer' })

function toInitial({ session_id, options }: ProjectionContext): CompletionState {
  return {
    session_id,
    options: (options ?? {}) as CompletionOptions,
    answer: initialAnswer,
    head: { id: '', created: 0, model: '' },
    begun: false,
    block: undefined,
    calls: 0,
    said: '',
    length: 0,
    from: 0,
    sources: [],
  }
}

function project(state: CompletionState, part: AnswerPart, out: Frame[]): CompletionState {
  switch (part.type) {
    case 'begin':
      return begin(state, part)
    case 'open':
      return open(state, part.block, out)
    case 'delta':
      return delta(state, part.text, out)
    case 'close':
      return close(state, part.empty, out)
    case 'signature':
    case 'hidden':
      return state
    case 'search':
      return { ...state, sources: state.sources && [...state.sources, ...part.search.sources] }
    case 'citation':
      return cite(state, part.citation, out)
    case 'finish':
      return finish(state, part, out)
    case 'error':
      out.push({ data: JSON.stringify(toChatError(part.error).body) })
      return state
  }
}

function begin(state: CompletionState, part: Extract<AnswerPart, { type: 'begin' }>): CompletionState {
  const id = `chatcmpl-${state.session_id}_${part.seq}`
  const created = Math.floor(Date.parse(part.ts) / 1000)
  const head = { id, created, model: state.options.model ?? part.model }
  return {
    ...state,
    head,
    begun: false,
    block: undefined,
    calls: 0,
    said: '',
    length: 0,
    from: 0,
    sources: [],
  }
}

/** Blocks of which this wire shows nothing stay closed; their parts are then skipped. */
function open(state: CompletionState, block: OpenBlock, out: Frame[]): CompletionState {
  if (block.kind === 'redacted_thinking' || block.kind === 'provider') return { ...state, block: undefined }
  if (block.kind !== 'call') return { ...say(state, out), block, from: state.length }
  if (!state.options.legacy) {
    const call = {
      id: block.call_id,
      type: 'function',
      function: { name: block.name, arguments: '' },
    } as const
    const next = say(state, out, { tool_calls: [{ index: state.calls, ...call }] })
    return { ...next, block }
  }
  if (state.calls > 0) return { ...state, block: undefined }
  return { ...say(state, out, { function_call: { name: block.name, arguments: '' } }), block }
}

function delta(state: CompletionState, text: string, out: Frame[]): CompletionState {
  switch (state.block?.kind) {
    case 'text': {
      const said = state.options.json ? state.said + text : ''
      return say({ ...state, said, length: state.length + text.length }, out, { content: text })
    }
    case 'thinking':
      return say(state, out, { reasoning_content: text })
    case 'refusal':
      return say(state, out, { refusal: text })
    case 'call':
      return say(state, out, toArguments(state, text))
    case 'redacted_thinking':
    case 'provider':
    case undefined:
      return state
  }
}

/** Sources that have an address; this wire has no words for others. */
function cite(state: CompletionState, citation: Citation, out: Frame[]): CompletionState {
  const { url, title } = citation
  if (typeof url !== 'string' || state.block?.kind !== 'text') return state
  const named = typeof title === 'string' ? title : ''
  const { start_index, end_index } = citedRange(citation, state.length - state.from)
  const where = { start_index: state.from + start_index, end_index: state.from + end_index }
  const cited = { url, title: named, ...where }
  return say({ ...state, sources: undefined }, out, {
    annotations: [{ type: 'url_citation', url_citation: cited }],
  })
}

/** Sources of an answer that does not cite them itself, each once, for its whole text. */
function addSources(state: CompletionState, out: Frame[]): CompletionState {
  const { sources = [], length } = state
  const each = [...new Map(sources.map(source => [source.url, source])).values()]
  if (each.length === 0) return state
  const annotations = each.map(
    ({ url, title }) =>
      ({ type: 'url_citation', url_citation: { url, title, start_index: 0, end_index: length } }) as const,
  )
  return say(state, out, { annotations })
}

/** A call without arguments has the arguments `{}`: clients parse them. */
function close(state: CompletionState, empty: boolean, out: Frame[]): CompletionState {
  if (state.block?.kind !== 'call') return { ...state, block: undefined }
  const next = empty ? say(state, out, toArguments(state, '{}')) : state
  return { ...next, block: undefined, calls: state.calls + 1 }
}

const toArguments = (state: CompletionState, text: string): ChunkDelta =>
  state.options.legacy
    ? { function_call: { arguments: text } }
    : { tool_calls: [{ index: state.calls, function: { arguments: text } }] }

/** Writes a chunk; the first of an answer says who speaks, alone. */
function say(state: CompletionState, out: Frame[], said?: ChunkDelta): CompletionState {
  const content = said?.tool_calls || said?.function_call ? null : ''
  if (!state.begun) out.push(chunk(state, { role: 'assistant', content, refusal: null }, null))
  if (said) out.push(chunk(state, said, null))
  return { ...state, begun: true }
}

function finish(state: CompletionState, part: AnswerFinish, out: Frame[]): CompletionState {
  const next = addSources(say(state, out), out)
  const known = mergeWarnings(state.options.warnings ?? [], part.warnings)
  const warnings = isBroken(state, part) ? [...known, INVALID_JSON] : known
  const extra = {
    ...(warnings.length > 0 ? { warnings } : {}),
    ...(part.waiting.length > 0 ? { pending: part.waiting } : {}),
  }
  out.push(chunk(next, {}, toReason(state, part.reason), extra))
  if (state.options.include_usage) out.push(usageChunk(next, part.usage))
  out.push({ data: '[DONE]' })
  return next
}

const INVALID_JSON: Warning = {
  code: 'invalid_json',
  message: 'response_format: the answer is not the JSON that was asked for; it is as the model wrote it.',
}

/** An answer that ended by itself, without calls, and is no JSON object. */
function isBroken({ options, calls, said }: CompletionState, { reason }: AnswerFinish): boolean {
  if (!options.json || calls > 0 || reason !== 'stop') return false
  try {
    const value: unknown = JSON.parse(said)
    return typeof value !== 'object' || value === null
  } catch {
    return true
  }
}

function toReason(state: CompletionState, reason: AnswerFinish['reason']): FinishReason {
  switch (reason) {
    case 'tool_calls':
      if (state.calls === 0) return 'stop'
      return state.options.legacy ? 'function_call' : 'tool_calls'
    case 'length':
      return 'length'
    case 'content_filter':
    case 'refusal':
      return 'content_filter'
    case 'stop':
    case 'pause':
    case 'error':
    case 'cancelled':
      return 'stop'
  }
}

function chunk(
  state: CompletionState,
  said: ChunkDelta,
  finish_reason: FinishReason | null,
  extra: object = {},
): Frame {
  const whole: ChatChunk = {
    ...state.head,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta: said, logprobs: null, finish_reason }],
    ...(state.options.include_usage ? { usage: null } : {}),
    ...extra,
  }
  return { data: JSON.stringify(whole) }
}

function usageChunk(state: CompletionState, usage: Usage): Frame {
  const whole: ChatChunk = {
    ...state.head,
    object: 'chat.completion.chunk',
    choices: [],
    usage: toChatUsage(usage),
  }
  return { data: JSON.stringify(whole) }
}

/** Prompt tokens include what came from the cache and what went into it. Pure. */
function toChatUsage(usage: Usage): ChatUsage {
  const prompt_tokens = usage.input + usage.cache_read + usage.cache_write
  return {
    prompt_tokens,
    completion_tokens: usage.output,
    total_tokens: prompt_tokens + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cache_read, cache_write_tokens: usage.cache_write },
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
  }
}

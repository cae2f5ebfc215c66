/**
 * The child's output as parts of model messages: a pure fold that hides its quirks. A message ends with its calls,
 * or when the child reports the end of its turn; an interrupted one is marked so and never merges with its retry.
 */
import {
  asNumber,
  type ContentPart,
  closeMessagesBlock,
  deltaMessagesBlock,
  type Failure,
  type Finish,
  isDeeperThan,
  isObject,
  type JsonObject,
  type MessagesBlock,
  type ModelPart,
  mergeMessagesUsage,
  startMessagesBlock,
  toMessagesFinish,
  type Usage,
} from '@toolwire/core'
import { toSdkFailure } from './failures.ts'
import { asObject, asObjects, asText } from './json.ts'

export type ReadOutput =
  | { readonly type: 'part'; readonly part: ModelPart }
  /** The message broke off. `survived`: the child keeps a piece of it and goes on from there. */
  | { readonly type: 'cut'; readonly survived: boolean }
  /** The child has this result for a call, from itself or from us. */
  | ({ readonly type: 'result'; readonly call_id: string } & ReadResult)
  /** A request failed, and the child will repeat it by itself. */
  | { readonly type: 'retry'; readonly error: Failure }
  /** The turn is over; nothing follows before somebody speaks. */
  | { readonly type: 'idle' }

export interface ReadResult {
  readonly output_text: string
  readonly content: readonly ContentPart[]
  readonly is_error: boolean
}

interface OpenMessage {
  readonly id: string
  readonly model: string
  /** False for one that arrived as a whole, after streaming had failed. */
  readonly streamed: boolean
  readonly open: readonly MessagesBlock[]
  readonly blocks: number
  readonly calls: ReadonlySet<string>
  readonly survived: boolean
  readonly usage: Usage
  readonly stop_reason?: string
}

type EndPart = Extract<ModelPart, { type: 'end' }>

export interface ReadState {
  readonly message?: OpenMessage | undefined
  /** A message without calls: ended when the child reports it, unless it continues. */
  readonly held?: EndPart | undefined
  /** An error that the child has dressed up as a message. */
  readonly failed?: Failure | undefined
  /** Cost of the child so far; it only reports its total, at the end of its turns. */
  readonly cost_usd: number
  /** Costs already reported for messages since then, so that the total is not added twice. */
  readonly told_usd: number
  readonly costOf?: CostOf | undefined
}

/** The cost of a message by its model and usage; undefined when the price is unknown. */
export type CostOf = (model: string, usage: Usage) => number | undefined

/** Something the child said, or a call of the current message that reached us. */
export type ReadInput =
  | { readonly type: 'said'; readonly message: JsonObject }
  | { readonly type: 'reached'; readonly call_ids: ReadonlySet<string> }

export type StepResult = readonly [ReadState, readonly ReadOutput[]]

export const initialRead = (costOf?: CostOf): ReadState => ({ cost_usd: 0, told_usd: 0, costOf })

export function stepRead(state: ReadState, input: ReadInput): StepResult {
  if (input.type === 'reached') return endWholeIf(state, input.call_ids)
  const { message } = input
  // Messages of agents that the child runs inside a call are the call's business.
  if (typeof message['parent_tool_use_id'] === 'string') return [state, []]
  switch (message['type']) {
    case 'stream_event':
      return streamEvent(state, asObject(message['event']))
    case 'assistant':
      return assistant(state, message)
    case 'user':
      return chain(endWhole(state), next => [next, results(message)])
    case 'result':
      return chain(endWhole(state), next => turnResult(next, message))
    case 'system':
      return message['subtype'] === 'api_retry' ? [state, [apiRetry(message)]] : [state, []]
    default:
      return [state, []]
  }
}

function streamEvent(state: ReadState, event: JsonObject): StepResult {
  switch (event['type']) {
    case 'message_start':
      return chain(endWhole(state), next => messageStart(next, asObject(event['message'])))
    case 'content_block_start':
      return blockStart(state, event)
    case 'content_block_delta':
      return blockDelta(state, event)
    case 'content_block_stop':
      return blockStop(state, event)
    case 'message_delta':
      return messageDelta(state, event)
    case 'message_stop':
      return messageStop(state)
    default:
      return [state, []]
  }
}

function messageStart(state: ReadState, raw: JsonObject, streamed = true): StepResult {
  // The turn continues: the previous message was not the last one.
  const before: readonly ModelPart[] = state.held ? [{ ...state.held, finish: 'pause' }] : []
  const usage = mergeMessagesUsage(undefined, raw['usage'])
  const id = asText(raw['id'])
  const model = asText(raw['model'])
  const start: ModelPart = {
    type: 'start',
    provider_message_id: id,
    model,
    usage,
  }
  const message = {
    id,
    model,
    streamed,
    open: [],
    blocks: 0,
    calls: new Set<string>(),
    survived: false,
    usage,
  }
  return [{ ...state, message, held: undefined }, said([...before, start])]
}

function blockStart(state: ReadState, event: JsonObject): StepResult {
  const { message } = state
  if (!message) return [state, []]
  const raw = asObject(event['content_block'])
  const started = startMessagesBlock(raw, event['index'], message.blocks)
  if (!started) return [state, []]
  const calls = raw['type'] === 'tool_use' ? new Set([...message.calls, asText(raw['id'])]) : message.calls
  const next = { ...message, calls, blocks: message.blocks + 1, open: [...message.open, started.block] }
  return [{ ...state, message: next }, said(started.parts)]
}

function blockDelta(state: ReadState, event: JsonObject): StepResult {
  const block = state.message?.open.find(one => one.at === event['index'])
  if (!state.message || !block) return [state, []]
  const { block: next, parts } = deltaMessagesBlock(block, asObject(event['delta']))
  const open = state.message.open.map(one => (one === block ? next : one))
  return [{ ...state, message: { ...state.message, open } }, said(parts)]
}

function blockStop(state: ReadState, event: JsonObject): StepResult {
  const block = state.message?.open.find(one => one.at === event['index'])
  if (!state.message || !block) return [state, []]
  const open = state.message.open.filter(one => one !== block)
  return [{ ...state, message: { ...state.message, open } }, said(closeMessagesBlock(block))]
}

function messageDelta(state: ReadState, event: JsonObject): StepResult {
  if (!state.message) return [state, []]
  const reason = asText(asObject(event['delta'])['stop_reason'])
  const usage = mergeMessagesUsage(state.message.usage, event['usage'])
  const message = { ...state.message, usage, ...(reason === '' ? {} : { stop_reason: reason }) }
  return [{ ...state, message }, []]
}

function messageStop(state: ReadState): StepResult {
  const { message } = state
  if (!message) return [state, []]
  const next = { ...state, message: undefined }
  // The child closes an interrupted stream as if it had ended, but without a stop reason.
  if (message.stop_reason === undefined) return [next, [{ type: 'cut', survived: message.survived }]]
  return ended(next, message)
}

function ended(state: ReadState, message: OpenMessage): StepResult {
  const stop_reason = message.stop_reason ?? 'end_turn'
  const end: EndPart = {
    type: 'end',
    stop_reason,
    finish: toFinish(stop_reason, message.calls.size),
    usage: message.usage,
  }
  const closing = message.open.flatMap(closeMessagesBlock)
  if (message.calls.size === 0) return [{ ...state, held: end }, said(closing)]
  const cost_usd = state.costOf?.(message.model, message.usage)
  if (cost_usd === undefined) return [state, said([...closing, end])]
  return [{ ...state, told_usd: state.told_usd + cost_usd }, said([...closing, { ...end, cost_usd }])]
}

/** The program continues by itself after a provider's pause; here the message has ended. */
function toFinish(reason: string, calls: number): Finish {
  const finish = toMessagesFinish(reason, calls)
  return finish === 'pause' ? toMessagesFinish('', calls) : finish
}

/** One block of a message that streams already, or of one that could only be fetched as a whole. */
function assistant(state: ReadState, said_: JsonObject): StepResult {
  const raw = asObject(said_['message'])
  if (typeof said_['error'] === 'string') {
    const text = asObjects(raw['content']).map(block => asText(block['text']))
    return [
      { ...state, failed: toSdkFailure(said_['error'], text.join('') || 'The provider gave no reason.') },
      [],
    ]
  }
  const { message } = state
  if (message?.streamed && message.id === raw['id'])
    return [{ ...state, message: { ...message, survived: true } }, []]
  const isMore = message !== undefined && message.id === raw['id']
  const opened: StepResult = isMore
    ? [state, []]
    : chain(endWhole(state), next => messageStart(next, raw, false))
  return chain(opened, next => wholeBlocks(next, raw))
}

function wholeBlocks(state: ReadState, raw: JsonObject): StepResult {
  if (!state.message) return [state, []]
  let { message } = state
  const parts: ModelPart[] = []
  for (const block of asObjects(raw['content'])) {
    parts.push(...wholeBlock(block, message.blocks))
    const calls =
      block['type'] === 'tool_use' ? new Set([...message.calls, asText(block['id'])]) : message.calls
    message = { ...message, calls, blocks: message.blocks + 1 }
  }
  const reason = asText(raw['stop_reason'])
  const next = {
    ...message,
    usage: mergeMessagesUsage(message.usage, raw['usage']),
    ...(reason === '' ? {} : { stop_reason: reason }),
  }
  return [{ ...state, message: next }, said(parts)]
}

/** A block that arrived complete. */
function wholeBlock(raw: JsonObject, index: number): readonly ModelPart[] {
  const started = startMessagesBlock(raw, index, index)
  return started ? [...started.parts, ...closeMessagesBlock(started.block)] : []
}

/** A message that came as a whole has no end event: it ends with the next event. */
function endWhole(state: ReadState): StepResult {
  if (!state.message || state.message.streamed) return [state, []]
  return ended({ ...state, message: undefined }, state.message)
}

/** … or when all its calls have reached us. */
function endWholeIf(state: ReadState, reached: ReadonlySet<string>): StepResult {
  const { message } = state
  if (!message || message.streamed || message.calls.size === 0) return [state, []]
  return [...message.calls].every(id => reached.has(id)) ? endWhole(state) : [state, []]
}

function results(said_: JsonObject): readonly ReadOutput[] {
  return asObjects(asObject(said_['message'])['content'])
    .filter(block => block['type'] === 'tool_result')
    .map(block => ({ type: 'result', call_id: asText(block['tool_use_id']), ...toResult(block) }))
}

function toResult(block: JsonObject): ReadResult {
  const { content } = block
  const is_error = block['is_error'] === true
  if (typeof content === 'string') return { output_text: content, content: [], is_error }
  const blocks = asObjects(content)
  const texts = blocks.flatMap(one => (one['type'] === 'text' ? [asText(one['text'])] : []))
  return { output_text: texts.join('\n'), content: blocks.flatMap(toMedia), is_error }
}

function toMedia(block: JsonObject): readonly ContentPart[] {
  const source = asObject(block['source'])
  if (block['type'] !== 'image' || source['type'] !== 'base64') return []
  const { media_type, data } = source
  return [{ type: 'image', source: { type: 'base64', media_type: asText(media_type), data: asText(data) } }]
}

function turnResult(state: ReadState, message: JsonObject): StepResult {
  const total = asNumber(message['total_cost_usd'])
  const spent = total === undefined ? undefined : Math.max(0, total - state.cost_usd - state.told_usd)
  const next: ReadState = { ...initialRead(state.costOf), cost_usd: total ?? state.cost_usd }
  // The program adds its own text to a refusal and reports an error.
  const isRefused = state.held?.finish === 'refusal'
  const failed = isRefused ? undefined : (state.failed ?? (state.held ? undefined : toResultFailure(message)))
  if (failed) return [next, [...said([{ type: 'error', error: failed }]), { type: 'idle' }]]
  const end = state.held && { ...state.held, ...(spent === undefined ? {} : { cost_usd: spent }) }
  return [next, [...said(end ? [end] : []), { type: 'idle' }]]
}

const toReason = (error: unknown): string => (typeof error === 'number' ? String(error) : asText(error))

/** A turn that ended without a message has failed; its fields give the reason. */
function toResultFailure(message: JsonObject): Failure | undefined {
  if (message['is_error'] !== true) return undefined
  const errors = Array.isArray(message['errors']) ? message['errors'].map(toReason) : []
  const text = [asText(message['result']), ...errors].filter(one => one !== '').join('; ')
  return toSdkFailure(asText(message['subtype']), text || 'The Claude Code process gave up on its turn.')
}

function apiRetry(message: JsonObject): ReadOutput {
  const status = asNumber(message['error_status'])
  const kind = asText(message['error'])
  const text = `The provider answered ${status ?? 'nothing'} (${kind}).`
  return { type: 'retry', error: toSdkFailure(kind, text, status) }
}

const said = (parts: readonly ModelPart[]): readonly ReadOutput[] =>
  parts.map(part => ({ type: 'part', part }))

function chain([state, outputs]: StepResult, step: (state: ReadState) => StepResult): StepResult {
  const [next, more] = step(state)
  return [next, [...outputs, ...more]]
}

/** Deeper data would overflow the stack when written to the log. */
const MAX_NESTING = 512

/** A raw SDK message as an input; undefined for what is no message at all, or nested too deeply to be kept. */
export const toReadInput = (raw: unknown): ReadInput | undefined =>
  isObject(raw) && !isDeeperThan(raw, MAX_NESTING) ? { type: 'said', message: raw } : undefined

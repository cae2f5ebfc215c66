/** Parts as events of the Responses API: numbered, every item announced, repeated when done and in the end. Pure. */
import type { ModelPart, Usage } from '@toolwire/core'
import { asString, isObject, type JsonObject, NO_USAGE, parseJson } from '@toolwire/core'
import { responsesErrorOf } from './error-bodies.ts'
import type { EncodeContext, Frame, FrameEncoder } from './frame.ts'

interface OpenItem {
  readonly out: number
  readonly kind: 'text' | 'refusal' | 'thinking' | 'tool_use' | 'custom'
  readonly item: JsonObject
  readonly text: string
}

interface EncoderState {
  readonly id: string
  readonly seq: number
  readonly open: ReadonlyMap<number, OpenItem>
  readonly output: readonly JsonObject[]
}

type EncoderStep = readonly [EncoderState, readonly Frame[]]

export function createResponsesEncoder(context: EncodeContext): FrameEncoder<EncoderState> {
  return {
    initial: { id: '', seq: 0, open: new Map(), output: [] },
    step(state, part) {
      switch (part.type) {
        case 'start': {
          const next = { ...state, id: toId(part.provider_message_id) }
          const response = toResponse(next, context, 'in_progress')
          return number(next, [
            { type: 'response.created', response },
            { type: 'response.in_progress', response },
          ])
        }
        case 'block-start':
          return openItem(state, part, context.freeform)
        case 'block-delta':
          return stepDelta(state, part)
        case 'block-end':
          return closeItem(state, part.index)
        case 'retry':
          return [state, []]
        case 'end':
          return end(state, part, context)
        case 'error': {
          const error = responsesErrorOf(part.error.code, part.error.message)
          return failed(state, error, context)
        }
      }
    },
  }
}

const toId = (id: string): string => (id.startsWith('resp_') ? id : `resp_${id || 'fake'}`)

/** Gives the events their numbers. */
function number(state: EncoderState, events: readonly JsonObject[]): EncoderStep {
  const frames = events.map((event, n) => ({
    event: String(event['type']),
    data: JSON.stringify({ ...event, sequence_number: state.seq + n }),
  }))
  return [{ ...state, seq: state.seq + events.length }, frames]
}

/** An `error` event and the failed response, in the service's own order. */
function failed(state: EncoderState, error: JsonObject, context: EncodeContext): EncoderStep {
  const response = {
    ...toResponse(state, context, 'failed'),
    error: { code: error['code'] ?? 'server_error', message: error['message'] },
  }
  return number(state, [
    { type: 'error', error, code: error['code'], message: error['message'], param: null },
    { type: 'response.failed', response },
  ])
}

function openItem(
  state: EncoderState,
  part: Extract<ModelPart, { type: 'block-start' }>,
  freeform: ReadonlySet<string>,
): EncoderStep {
  const out = state.output.length + state.open.size
  const opened = toItem(part, `${state.id.slice('resp_'.length)}_${out}`, freeform)
  if (!opened) return [state, []]
  const open: OpenItem = { ...opened, out, text: '' }
  const next = { ...state, open: new Map(state.open).set(part.index, open) }
  return number(next, [
    { type: 'response.output_item.added', output_index: out, item: open.item },
    ...opening(open),
  ])
}

function toItem(
  part: Extract<ModelPart, { type: 'block-start' }>,
  id: string,
  freeform: ReadonlySet<string>,
): Pick<OpenItem, 'kind' | 'item'> | undefined {
  const status = 'in_progress'
  if (part.kind === 'thinking')
    return { kind: 'thinking', item: { id: `rs_${id}`, type: 'reasoning', summary: [] } }
  if (part.kind === 'text' || part.kind === 'refusal')
    return {
      kind: part.kind,
      item: { id: `msg_${id}`, type: 'message', status, role: 'assistant', content: [] },
    }
  if (part.kind !== 'tool_use' || !part.tool) return undefined
  const { id: call_id, name } = part.tool
  return freeform.has(name)
    ? { kind: 'custom', item: { id: `ctc_${id}`, type: 'custom_tool_call', call_id, name, input: '' } }
    : {
        kind: 'tool_use',
        item: { id: `fc_${id}`, type: 'function_call', status, call_id, name, arguments: '' },
      }
}

const placed = ({ out, item }: OpenItem): JsonObject => ({ item_id: item['id'], output_index: out })

function opening(open: OpenItem): readonly JsonObject[] {
  if (open.kind === 'thinking')
    return [
      {
        type: 'response.reasoning_summary_part.added',
        ...placed(open),
        summary_index: 0,
        part: { type: 'summary_text', text: '' },
      },
    ]
  if (open.kind !== 'text' && open.kind !== 'refusal') return []
  return [{ type: 'response.content_part.added', ...placed(open), content_index: 0, part: contentOf(open) }]
}

const contentOf = ({ kind, text }: OpenItem): JsonObject =>
  kind === 'refusal'
    ? { type: 'refusal', refusal: text }
    : { type: 'output_text', annotations: [], logprobs: [], text }

function stepDelta(state: EncoderState, part: Extract<ModelPart, { type: 'block-delta' }>): EncoderStep {
  const open = state.open.get(part.index)
  const text = part.text ?? part.thinking ?? part.input_text
  if (!open || text === undefined) return [state, []]
  const grown = { ...open, text: open.text + text }
  const next = { ...state, open: new Map(state.open).set(part.index, grown) }
  // The text of a freeform call is inside of its arguments: it is known when they are complete.
  if (open.kind === 'custom') return [next, []]
  return number(next, [deltaEvent(open, text)])
}

function deltaEvent(open: OpenItem, delta: string): JsonObject {
  switch (open.kind) {
    case 'thinking':
      return { type: 'response.reasoning_summary_text.delta', ...placed(open), summary_index: 0, delta }
    case 'refusal':
      return { type: 'response.refusal.delta', ...placed(open), content_index: 0, delta }
    case 'tool_use':
      return { type: 'response.function_call_arguments.delta', ...placed(open), delta }
    case 'custom':
      return { type: 'response.custom_tool_call_input.delta', ...placed(open), delta }
    case 'text':
      return { type: 'response.output_text.delta', ...placed(open), content_index: 0, delta, logprobs: [] }
  }
}

function closeItem(state: EncoderState, index: number): EncoderStep {
  const open = state.open.get(index)
  if (!open) return [state, []]
  const rest = new Map(state.open)
  rest.delete(index)
  const item = toDone(open)
  const output = [...state.output]
  output[open.out] = item
  return number({ ...state, open: rest, output }, [
    ...closing(open),
    { type: 'response.output_item.done', output_index: open.out, item },
  ])
}

function closing(open: OpenItem): readonly JsonObject[] {
  const { text } = open
  switch (open.kind) {
    case 'thinking':
      return [
        { type: 'response.reasoning_summary_text.done', ...placed(open), summary_index: 0, text },
        {
          type: 'response.reasoning_summary_part.done',
          ...placed(open),
          summary_index: 0,
          part: { type: 'summary_text', text },
        },
      ]
    case 'text':
    case 'refusal': {
      const content = open.kind === 'text' ? { text, logprobs: [] } : { refusal: text }
      const type = open.kind === 'text' ? 'response.output_text.done' : 'response.refusal.done'
      return [
        { type, ...placed(open), content_index: 0, ...content },
        { type: 'response.content_part.done', ...placed(open), content_index: 0, part: contentOf(open) },
      ]
    }
    case 'tool_use':
      return [
        {
          type: 'response.function_call_arguments.done',
          ...placed(open),
          name: open.item['name'],
          arguments: text,
        },
      ]
    case 'custom':
      return [
        deltaEvent(open, inputOf(text)),
        { type: 'response.custom_tool_call_input.done', ...placed(open), input: inputOf(text) },
      ]
  }
}

/** The text inside `{"input": …}`. */
function inputOf(text: string): string {
  const value = parseJson(text)
  return (isObject(value) ? asString(value['input']) : undefined) ?? text
}

function toDone(open: OpenItem): JsonObject {
  const { item, text } = open
  switch (open.kind) {
    case 'thinking':
      return {
        ...item,
        summary: [{ type: 'summary_text', text }],
        encrypted_content: encrypt(text),
      }
    case 'text':
    case 'refusal':
      return { ...item, status: 'completed', content: [contentOf(open)] }
    case 'tool_use':
      return { ...item, status: 'completed', arguments: text }
    case 'custom':
      return { ...item, status: 'completed', input: inputOf(text) }
  }
}

/** Takes the part of the service's encryption; `decode-responses.ts` rejects anything else. */
const encrypt = (text: string): string => `enc_${Buffer.from(text).toString('base64')}`

function end(
  state: EncoderState,
  part: Extract<ModelPart, { type: 'end' }>,
  context: EncodeContext,
): EncoderStep {
  const incomplete = part.finish === 'length' || part.finish === 'content_filter'
  const response = {
    ...toResponse(state, context, incomplete ? 'incomplete' : 'completed'),
    incomplete_details: incomplete
      ? { reason: part.finish === 'length' ? 'max_output_tokens' : 'content_filter' }
      : null,
    usage: toUsage(part.usage),
  }
  const type = incomplete ? 'response.incomplete' : 'response.completed'
  return number(state, [{ type, response }])
}

const toResponse = (state: EncoderState, context: EncodeContext, status: string): JsonObject => ({
  id: state.id,
  object: 'response',
  created_at: context.created,
  status,
  error: null,
  incomplete_details: null,
  model: context.model,
  output: status === 'in_progress' ? [] : state.output,
  parallel_tool_calls: true,
  service_tier: 'default',
  usage: null,
})

function toUsage(usage: Usage): JsonObject {
  const input_tokens = usage.input + usage.cache_read + usage.cache_write
  return {
    input_tokens,
    input_tokens_details: { cached_tokens: usage.cache_read, cache_write_tokens: usage.cache_write },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: input_tokens + usage.output,
  }
}

/** The whole response, as a request without `stream` gets it: the last one that the stream would hold. */
export function foldResponse(parts: readonly ModelPart[], context: EncodeContext): JsonObject {
  const encoder = createResponsesEncoder(context)
  let state = encoder.initial
  let last: Frame | undefined
  for (const part of parts) {
    const [next, frames] = encoder.step(state, part)
    state = next
    last = frames.at(-1) ?? last
  }
  const event = parseJson(last?.data ?? '')
  const response = isObject(event) ? event['response'] : undefined
  return isObject(response)
    ? response
    : { ...toResponse(state, context, 'completed'), usage: toUsage(NO_USAGE) }
}

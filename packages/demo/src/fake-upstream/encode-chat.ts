/** Parts as Chat Completions chunks: dense call numbers, null usage until the end when asked for, `[DONE]`. Pure. */
import type { JsonObject, ModelPart, Usage } from '@toolwire/core'
import { NO_USAGE } from '@toolwire/core'
import { chatError } from './error-bodies.ts'
import type { EncodeContext, Frame, FrameEncoder } from './frame.ts'

interface ChatEncoderState {
  readonly id: string
  /** Block index of each call, in order; a call's number is its place here. */
  readonly calls: readonly number[]
  readonly refusals: readonly number[]
}

const DONE: Frame = { data: '[DONE]' }
export const COMMENT: Frame = { data: 'keep-alive', comment: true }

export function createChatEncoder(context: EncodeContext): FrameEncoder<ChatEncoderState> {
  const chunk = (state: ChatEncoderState, delta: JsonObject, finish_reason: string | null = null): Frame => ({
    data: JSON.stringify({
      ...head(state, context),
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
      ...(context.includeUsage ? { usage: null } : {}),
    }),
  })
  const call = (state: ChatEncoderState, index: number, payload: JsonObject): Frame =>
    chunk(state, { tool_calls: [{ index, ...payload }] })
  return {
    initial: { id: '', calls: [], refusals: [] },
    step(state, part) {
      switch (part.type) {
        case 'start': {
          const next = { ...state, id: toId(part.provider_message_id) }
          return [next, [chunk(next, { role: 'assistant', content: '', refusal: null })]]
        }
        case 'block-start': {
          if (part.kind === 'refusal') return [{ ...state, refusals: [...state.refusals, part.index] }, []]
          if (part.kind !== 'tool_use' || !part.tool) return [state, []]
          const { id, name } = part.tool
          const opening = { id, type: 'function', function: { name, arguments: '' } }
          return [
            { ...state, calls: [...state.calls, part.index] },
            [call(state, state.calls.length, opening)],
          ]
        }
        case 'block-delta':
          return [state, toDeltas(state, part).map(delta => chunk(state, delta))]
        case 'block-end':
          return [state, []]
        // Parts that are reported elsewhere have no frame.
        case 'retry':
          return [state, []]
        case 'end':
          return [
            state,
            [chunk(state, {}, toReason(part.finish)), ...usageChunk(state, part.usage, context), DONE],
          ]
        case 'error':
          return [state, [{ data: JSON.stringify(chatError(part.error.code, part.error.message)) }]]
      }
    },
  }
}

const toId = (id: string): string => (id.startsWith('chatcmpl-') ? id : `chatcmpl-${id || 'fake'}`)

const head = (state: ChatEncoderState, context: EncodeContext): JsonObject => ({
  id: state.id,
  object: 'chat.completion.chunk',
  created: context.created,
  model: context.model,
  service_tier: 'default',
  system_fingerprint: 'fp_fake',
})

function toDeltas(
  state: ChatEncoderState,
  part: Extract<ModelPart, { type: 'block-delta' }>,
): readonly JsonObject[] {
  const place = state.calls.indexOf(part.index)
  const field = state.refusals.includes(part.index) ? 'refusal' : 'content'
  return [
    ...(part.text === undefined ? [] : [{ [field]: part.text }]),
    ...(part.thinking === undefined ? [] : [{ reasoning_content: part.thinking }]),
    ...(part.input_text === undefined || place === -1
      ? []
      : [{ tool_calls: [{ index: place, function: { arguments: part.input_text } }] }]),
  ]
}

function usageChunk(state: ChatEncoderState, usage: Usage, context: EncodeContext): readonly Frame[] {
  if (!context.includeUsage) return []
  return [{ data: JSON.stringify({ ...head(state, context), choices: [], usage: toUsage(usage) }) }]
}

function toUsage(usage: Usage): JsonObject {
  const prompt_tokens = usage.input + usage.cache_read + usage.cache_write
  return {
    prompt_tokens,
    completion_tokens: usage.output,
    total_tokens: prompt_tokens + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cache_read, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: usage.reasoning, audio_tokens: 0 },
  }
}

function toReason(finish: string): string {
  if (finish === 'length' || finish === 'tool_calls') return finish
  return finish === 'refusal' || finish === 'content_filter' ? 'content_filter' : 'stop'
}

interface WholeCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

/** The whole completion, as a request without `stream` gets it. */
export function foldCompletion(parts: readonly ModelPart[], context: EncodeContext): JsonObject {
  const start = parts.find(part => part.type === 'start')
  const end = parts.find(part => part.type === 'end')
  const text = gather(parts, part => part.text)
  const thinking = gather(parts, part => part.thinking)
  const calls = foldCalls(parts)
  const message = {
    role: 'assistant',
    content: text === '' ? null : text,
    refusal: null,
    ...(thinking === '' ? {} : { reasoning_content: thinking }),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  }
  return {
    ...head({ id: toId(start?.provider_message_id ?? ''), calls: [], refusals: [] }, context),
    object: 'chat.completion',
    choices: [{ index: 0, message, logprobs: null, finish_reason: toReason(end?.finish ?? 'stop') }],
    usage: toUsage(end?.usage ?? NO_USAGE),
  }
}

type Delta = Extract<ModelPart, { type: 'block-delta' }>

const gather = (parts: readonly ModelPart[], field: (part: Delta) => string | undefined): string =>
  parts.map(part => (part.type === 'block-delta' ? (field(part) ?? '') : '')).join('')

function foldCalls(parts: readonly ModelPart[]): readonly WholeCall[] {
  return parts.flatMap(part => {
    if (part.type !== 'block-start' || part.kind !== 'tool_use' || !part.tool) return []
    const { id, name } = part.tool
    const text = gather(parts, delta => (delta.index === part.index ? delta.input_text : undefined))
    return [{ id, type: 'function', function: { name, arguments: text } }]
  })
}

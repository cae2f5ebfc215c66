/** The answer of a request that does not stream: the fold of the very chunks that a stream would carry. */
import type { Frame } from '../wire.ts'
import type { Annotation, ChatChunk, ChatCompletion, ChatMessage, ChunkDelta, FinishReason } from './chunk.ts'

interface CompletionFold {
  head: Pick<ChatChunk, 'id' | 'created' | 'model'>
  content: string
  refusal: string
  reasoning: string
  annotations: Annotation[]
  calls: { id: string; name: string; arguments: string }[]
  legacy: { name: string; arguments: string } | undefined
  finish_reason: FinishReason
  usage: ChatChunk['usage']
  extra: Pick<ChatCompletion, 'warnings' | 'pending'>
}

/** Folds the frames of one answer that ended well, in order. */
export function foldCompletion(frames: Iterable<Frame>): ChatCompletion {
  const folding: CompletionFold = {
    head: { id: '', created: 0, model: '' },
    content: '',
    refusal: '',
    reasoning: '',
    annotations: [],
    calls: [],
    legacy: undefined,
    finish_reason: 'stop',
    usage: undefined,
    extra: {},
  }
  for (const { data } of frames) if (data !== '[DONE]') take(folding, JSON.parse(data) as ChatChunk)
  return {
    ...folding.head,
    object: 'chat.completion',
    choices: [
      { index: 0, message: toMessage(folding), logprobs: null, finish_reason: folding.finish_reason },
    ],
    ...(folding.usage ? { usage: folding.usage } : {}),
    ...folding.extra,
  }
}

function take(folding: CompletionFold, chunk: ChatChunk): void {
  const { id, created, model, usage, warnings, pending } = chunk
  folding.head = { id, created, model }
  folding.usage = usage ?? folding.usage
  if (warnings) folding.extra = { ...folding.extra, warnings }
  if (pending) folding.extra = { ...folding.extra, pending }
  const [choice] = chunk.choices
  if (!choice) return
  folding.finish_reason = choice.finish_reason ?? folding.finish_reason
  takeDelta(folding, choice.delta)
}

function takeDelta(folding: CompletionFold, delta: ChunkDelta): void {
  folding.content += delta.content ?? ''
  folding.refusal += delta.refusal ?? ''
  folding.reasoning += delta.reasoning_content ?? ''
  folding.annotations.push(...(delta.annotations ?? []))
  for (const { index, id, function: called } of delta.tool_calls ?? []) {
    const call = folding.calls[index] ?? { id: id ?? '', name: called.name ?? '', arguments: '' }
    folding.calls[index] = { ...call, arguments: call.arguments + called.arguments }
  }
  const legacy = delta.function_call
  if (!legacy) return
  const before = folding.legacy ?? { name: legacy.name ?? '', arguments: '' }
  folding.legacy = { ...before, arguments: before.arguments + legacy.arguments }
}

function toMessage(folding: CompletionFold): ChatMessage {
  const { content, refusal, reasoning, annotations, calls, legacy } = folding
  const silent = content === '' && (calls.length > 0 || legacy !== undefined || refusal !== '')
  return {
    role: 'assistant',
    content: silent ? null : content,
    refusal: refusal === '' ? null : refusal,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(annotations.length === 0 ? {} : { annotations }),
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map(({ id, ...called }) => ({ id, type: 'function' as const, function: called })),
        }),
    ...(legacy === undefined ? {} : { function_call: legacy }),
  }
}

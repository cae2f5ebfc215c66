/**
 * The conversation of our log as the transcript that the child resumes from. So a child is never
 * needed for what has been: it can be killed at any moment, and a new one knows the same.
 */
import {
  type AssistantPart,
  type ContentPart,
  type HistoryMessage,
  isObject,
  type JsonObject,
  systemNotice,
} from '@toolwire/core'
import { toBlocks, toResultBlock } from './content.ts'

export interface Rebuild {
  readonly transcript: readonly HistoryMessage[]
  /** The message for the new child; absent if it only continues from the results. */
  readonly prompt?: readonly ContentPart[]
}

/** Splits a history into what was and what is new. */
export function toRebuild(messages: readonly HistoryMessage[], boundary?: string): Rebuild {
  const at = messages.findLastIndex(message => message.role === 'assistant' || message.role === 'tool') + 1
  const prompt = messages
    .slice(at)
    .flatMap(message => ('content' in message ? saidIn(message, boundary) : []))
  const transcript = messages.slice(0, at)
  if (prompt.length > 0) return { transcript, prompt }
  // Only results can be continued without a message.
  return transcript.at(-1)?.role === 'tool'
    ? { transcript }
    : { transcript, prompt: [{ type: 'text', text: 'Continue.' }] }
}

function saidIn(
  message: Extract<HistoryMessage, { content: unknown }>,
  boundary: string | undefined,
): readonly ContentPart[] {
  if (message.role === 'user') return message.content
  if (message.role === 'assistant') return []
  return message.content.map(part =>
    part.type === 'text' ? { type: 'text', text: systemNotice(part.text, boundary) } : part,
  )
}

export interface TranscriptContext {
  readonly session_id: string
  readonly cwd: string
  readonly model: string
  readonly ts: string
  readonly newUuid: () => string
  /** The word in the tags of notices. */
  readonly boundary?: string | undefined
  /** The name that the model knows a tool by. */
  readonly toModelName: (name: string) => string
}

/** One entry per message, each naming the one before it. */
export function toTranscript(
  messages: readonly HistoryMessage[],
  context: TranscriptContext,
): readonly JsonObject[] {
  const entries: JsonObject[] = []
  let parentUuid: string | null = null
  for (const message of messages) {
    const body = toBody(message, context)
    if (!body) continue
    const uuid = context.newUuid()
    entries.push({
      parentUuid,
      isSidechain: false,
      userType: 'external',
      cwd: context.cwd,
      sessionId: context.session_id,
      version: '2.1.325',
      type: body['role'],
      message: body,
      uuid,
      timestamp: context.ts,
    })
    parentUuid = uuid
  }
  return entries
}

/** Undefined for a message that has nothing to say to a model. */
function toBody(message: HistoryMessage, context: TranscriptContext): JsonObject | undefined {
  if (message.role === 'tool') return { role: 'user', content: message.results.map(toResultBlock) }
  if (message.role !== 'assistant') {
    const content = toBlocks(saidIn(message, context.boundary))
    return content.length > 0 ? { role: 'user', content } : undefined
  }
  const content = message.content.flatMap(part => toAssistantBlock(part, message.provider, context))
  if (content.length === 0) return undefined
  const calls = content.some(block => block['type'] === 'tool_use')
  return {
    id: message.message_id,
    type: 'message',
    role: 'assistant',
    model: context.model,
    content,
    stop_reason: calls ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 0, output_tokens: 0 },
  }
}

/** Signed thinking means something to its own provider alone; what a provider's own tools did is not repeated. */
function toAssistantBlock(
  part: AssistantPart,
  provider: string,
  context: TranscriptContext,
): readonly JsonObject[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }]
    case 'thinking':
      if (provider !== 'anthropic' || !part.signature) return []
      return [{ type: 'thinking', thinking: part.thinking, signature: part.signature }]
    case 'redacted_thinking':
      return provider === 'anthropic' && isObject(part.data) ? [part.data] : []
    case 'tool_use':
      return [
        {
          type: 'tool_use',
          id: part.call_id,
          name: context.toModelName(part.name),
          input: toInput(part.input_text),
        },
      ]
    case 'provider':
      return []
  }
}

/** Arguments that are no JSON object are shown as they were; the call never ran with them. */
function toInput(text: string): JsonObject {
  try {
    const parsed: unknown = JSON.parse(text === '' ? '{}' : text)
    return isObject(parsed) ? parsed : { _raw: text }
  } catch {
    return { _raw: text }
  }
}

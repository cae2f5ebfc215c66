/** The messages of a chat, as the page builds them from the stream: chunk by chunk, by the rules of the page's reader. */
import { type ContentPart, type EventOf, fileContentPath, type Rec } from '@toolwire/core'
import { isPageContext } from '../shared/page-context.ts'
import { createWaitingMessages } from '../shared/waiting-messages.ts'
import { aiSdkWire } from './ai-sdk-wire.ts'
import type { Dialect, UiChunk } from './ui-chunk.ts'

export type UiPart = { type: string; [field: string]: unknown }

export interface UiMessage {
  id: string
  role: 'user' | 'assistant'
  metadata?: Record<string, unknown>
  parts: UiPart[]
}

export interface MessageFold {
  readonly step: (rec: Rec) => void
  /** The messages so far, in order. */
  readonly messages: () => readonly UiMessage[]
}

export function createMessageFold(dialect: Dialect, sessionId: string): MessageFold {
  const step = aiSdkWire(dialect).open({ session_id: sessionId })
  const messages: UiMessage[] = []
  let current: UiMessage | undefined
  const waiting = createWaitingMessages(messages, toUserMessage)
  return {
    step(rec) {
      const { ev } = rec
      if (ev.type === 'input.message' && isFromUser(ev)) messages.push(waiting.add(ev))
      else waiting.step(ev)
      for (const frame of step(rec)) {
        const chunk = JSON.parse(frame.data) as UiChunk
        if (chunk.type === 'start') {
          current = { id: chunk.messageId, role: 'assistant', parts: [] }
          messages.push(current)
        }
        if (current) applyChunk(current, chunk)
      }
    },
    messages: () => messages,
  }
}

const isFromUser = (ev: EventOf<'input.message'>): boolean =>
  ev.role === 'user' && ev.agent_run_id === undefined && ev.notifies === undefined

const toUserMessage = (ev: EventOf<'input.message'>): UiMessage => ({
  id: ev.client_message_id ?? ev.message_id,
  role: 'user',
  parts: ev.content.filter(part => !isPageContext(part)).flatMap(toUserPart),
})

function toUserPart(part: ContentPart): UiPart[] {
  if (part.type === 'text') return [{ type: 'text', text: part.text }]
  const { source, title } = part
  const filename = title === undefined ? {} : { filename: title }
  switch (source.type) {
    case 'base64':
      return [
        {
          type: 'file',
          mediaType: source.media_type,
          ...filename,
          url: `data:${source.media_type};base64,${source.data}`,
        },
      ]
    case 'file':
      return [
        {
          type: 'file',
          mediaType: source.media_type ?? 'application/octet-stream',
          filename: title ?? source.filename ?? 'file',
          url: fileContentPath(source),
        },
      ]
    case 'url':
      return [
        {
          type: 'file',
          mediaType: source.media_type ?? 'application/octet-stream',
          ...filename,
          url: source.url,
        },
      ]
    case 'text':
      return [
        {
          type: 'file',
          mediaType: source.media_type,
          ...filename,
          url: `data:${source.media_type};base64,${toBase64(source.data)}`,
        },
      ]
  }
}

const toBase64 = (text: string): string => {
  let binary = ''
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte)
  return btoa(binary)
}

/** Changes the message as the reader of the AI SDK does. */
function applyChunk(message: UiMessage, chunk: UiChunk): void {
  switch (chunk.type) {
    case 'start':
    case 'finish':
      message.metadata = { ...message.metadata, ...chunk.messageMetadata }
      return
    case 'start-step':
      message.parts.push({ type: 'step-start' })
      return
    case 'reset-step':
      message.parts.splice(message.parts.findLastIndex(part => part.type === 'step-start') + 1)
      return
    case 'finish-step':
    case 'abort':
    case 'error':
      return
    default:
      applyPart(message, chunk)
  }
}

type PartChunk = Exclude<
  UiChunk,
  { type: 'start' | 'finish' | 'start-step' | 'reset-step' | 'finish-step' | 'abort' | 'error' }
>

function applyPart({ parts }: UiMessage, chunk: PartChunk): void {
  switch (chunk.type) {
    case 'text-start':
      parts.push({ type: 'text', text: '', state: 'streaming' })
      return
    case 'reasoning-start':
      parts.push({ type: 'reasoning', id: chunk.id, text: '', state: 'streaming' })
      return
    case 'text-delta':
    case 'reasoning-delta': {
      const part = streaming(parts, chunk.type)
      if (part) part['text'] = `${part['text']}${chunk.delta}`
      return
    }
    case 'text-end':
    case 'reasoning-end': {
      const part = streaming(parts, chunk.type)
      if (part) part['state'] = 'done'
      return
    }
    case 'data-agent':
    case 'data-approval':
    case 'data-delivery':
    case 'data-question':
    case 'data-tool-progress':
      applyData(parts, chunk)
      return
    default:
      applyCall(parts, chunk)
  }
}

/** Blocks of one kind come one after the other. */
const streaming = (parts: readonly UiPart[], type: string): UiPart | undefined =>
  parts.findLast(part => part.type === type.split('-', 1)[0] && part['state'] === 'streaming')

function applyData(parts: UiPart[], chunk: Extract<PartChunk, { data: object }>): void {
  if (chunk.transient) return
  const known = parts.find(part => part.type === chunk.type && part['id'] === chunk.id)
  if (known) known['data'] = chunk.data
  else parts.push({ ...chunk })
}

type CallChunk = Extract<PartChunk, { type: `tool-${string}` }>

function applyCall(parts: UiPart[], chunk: CallChunk): void {
  if (chunk.type === 'tool-input-delta') return
  if (chunk.type === 'tool-approval-response') {
    const { approvalId: id, approved, reason } = chunk
    const part = parts.find(one => (one['approval'] as { id?: unknown } | undefined)?.id === id)
    const approval = { id, approved, ...(reason === undefined ? {} : { reason }) }
    if (part)
      Object.assign(part, {
        state: 'approval-responded',
        approval: { ...Object(part['approval']), ...approval },
      })
    return
  }
  const known = parts.findLast(part => part['toolCallId'] === chunk.toolCallId)
  const part = known ?? { type: 'dynamic-tool', toolCallId: chunk.toolCallId }
  if (!known) parts.push(part)
  Object.assign(part, fieldsAfter(chunk))
}

function fieldsAfter(
  chunk: Exclude<CallChunk, { type: 'tool-input-delta' | 'tool-approval-response' }>,
): object {
  switch (chunk.type) {
    case 'tool-input-start':
    case 'tool-input-available': {
      const { toolName, title, providerExecuted } = chunk
      const isWhole = chunk.type === 'tool-input-available'
      return {
        toolName,
        state: isWhole ? 'input-available' : 'input-streaming',
        ...(isWhole ? { input: chunk.input } : {}),
        ...(title === undefined ? {} : { title }),
        ...(providerExecuted === undefined ? {} : { providerExecuted }),
      }
    }
    case 'tool-input-error': {
      const { toolName, input, errorText, providerExecuted } = chunk
      const by = providerExecuted === undefined ? {} : { providerExecuted }
      return { toolName, state: 'output-error', input, errorText, ...by }
    }
    case 'tool-approval-request': {
      const { approvalId: id, reason } = chunk
      const requestReason = reason === undefined ? {} : { requestReason: reason }
      return { state: 'approval-requested', approval: { id, ...requestReason } }
    }
    case 'tool-output-available':
      return { state: 'output-available', output: chunk.output }
    case 'tool-output-error':
      return { state: 'output-error', errorText: chunk.errorText }
    default:
      return { state: 'output-denied' }
  }
}

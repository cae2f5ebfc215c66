/** The messages of a thread, as a client builds them from the events of all its runs. */
import type { ContentPart, EventOf, Rec } from '@toolwire/core'
import { isPageContext } from '../shared/page-context.ts'
import { createWaitingMessages } from '../shared/waiting-messages.ts'
import { agUiWire } from './ag-ui-wire.ts'

interface ToolCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; arguments: string }
}

export interface AgUiMessage {
  readonly id: string
  readonly role: 'user' | 'assistant' | 'tool' | 'reasoning'
  content?: string | readonly object[]
  readonly toolCallId?: string
  toolCalls?: ToolCall[]
}

export interface AgUiFold {
  readonly step: (rec: Rec) => void
  readonly messages: () => readonly AgUiMessage[]
  /** The messages before the latest run began. */
  readonly settled: () => readonly AgUiMessage[]
}

export function createAgUiFold(sessionId: string): AgUiFold {
  const step = agUiWire.open({ session_id: sessionId, options: { client_results: true } })
  const messages: AgUiMessage[] = []
  let mark = 0
  const waiting = createWaitingMessages(messages, toUser)
  return {
    step(rec) {
      const { ev } = rec
      if (ev.type === 'input.message' && ev.role === 'user' && ev.agent_run_id === undefined && !ev.notifies)
        messages.push(waiting.add(ev))
      else waiting.step(ev)
      for (const frame of step(rec)) {
        const event = JSON.parse(frame.data) as Readonly<Record<string, string>>
        if (event['type'] === 'RUN_STARTED') mark = messages.length
        apply(messages, event)
      }
    },
    messages: () => messages,
    settled: () => messages.slice(0, mark),
  }
}

function toUser(ev: EventOf<'input.message'>): AgUiMessage {
  const id = ev.client_message_id ?? ev.message_id
  const content = ev.content.filter(part => !isPageContext(part))
  if (content.every(part => part.type === 'text'))
    return { id, role: 'user', content: content.map(part => part.text).join('\n') }
  return { id, role: 'user', content: content.map(toPart) }
}

function toPart(part: ContentPart): object {
  if (part.type === 'text') return part
  const { source } = part
  if (source.type === 'url') return { type: part.type, source: { type: 'url', value: source.url } }
  if (source.type === 'text') return { type: 'text', text: source.data }
  if (source.type === 'file')
    return {
      type: part.type === 'file' ? 'document' : part.type,
      source: { type: 'file', value: source.file_id, provider: 'toolwire' },
    }
  return { type: part.type, source: { type: 'data', value: source.data, mimeType: source.media_type } }
}

function apply(messages: AgUiMessage[], event: Readonly<Record<string, string>>): void {
  const { type, messageId = '', toolCallId = '', delta = '' } = event
  switch (type) {
    case 'TEXT_MESSAGE_START':
    case 'REASONING_MESSAGE_START': {
      const role = type === 'TEXT_MESSAGE_START' ? 'assistant' : 'reasoning'
      messages.push({ id: messageId, role, content: '' })
      return
    }
    case 'TEXT_MESSAGE_CONTENT':
    case 'REASONING_MESSAGE_CONTENT': {
      const message = messages.findLast(one => one.id === messageId)
      if (message) message.content = `${message.content ?? ''}${delta}`
      return
    }
    case 'TOOL_CALL_START':
      startCall(messages, event)
      return
    case 'TOOL_CALL_ARGS': {
      const calls = messages.findLast(one => one.toolCalls?.some(call => call.id === toolCallId))?.toolCalls
      const call = calls?.findLast(one => one.id === toolCallId)
      if (call) call.function.arguments += delta
      return
    }
    case 'TOOL_CALL_RESULT':
      messages.push({ id: messageId, role: 'tool', toolCallId, content: event['content'] ?? '' })
      return
    default:
  }
}

function startCall(messages: AgUiMessage[], event: Readonly<Record<string, string>>): void {
  const { toolCallId = '', toolCallName = '', parentMessageId } = event
  const call: ToolCall = {
    id: toolCallId,
    type: 'function',
    function: { name: toolCallName, arguments: '' },
  }
  const parent = messages.findLast(one => one.id === parentMessageId && one.role === 'assistant')
  if (parent) parent.toolCalls = [...(parent.toolCalls ?? []), call]
  else messages.push({ id: parentMessageId ?? toolCallId, role: 'assistant', toolCalls: [call] })
}

/** Results without `tool_call_id`: each gets the id of the one call that has no result yet. Pure. */
import { AppError } from '@toolwire/core'
import type { RequestMessage } from './message-schema.ts'

/** Throws `bad_request` for a result without an id unless it is the only one for the only open call. */
export const addCallIds = (messages: readonly RequestMessage[]): readonly RequestMessage[] =>
  messages.map((message, index) =>
    isWithoutId(message) ? { ...message, tool_call_id: openCall(messages, index) } : message,
  )

const isWithoutId = (message: RequestMessage): message is Extract<RequestMessage, { role: 'tool' }> =>
  message.role === 'tool' && !message.tool_call_id

function openCall(messages: readonly RequestMessage[], index: number): string {
  const isAssistant = ({ role }: RequestMessage): boolean => role === 'assistant'
  const before = messages.slice(0, index)
  const at = before.findLastIndex(isAssistant)
  const after = messages.slice(index)
  const next = after.findIndex(isAssistant)
  const segment = [...before.slice(at + 1), ...after.slice(0, next === -1 ? undefined : next)]
  const assistant = messages[at]
  const calls = assistant?.role === 'assistant' ? (assistant.tool_calls ?? []) : []
  const named = new Set(segment.map(message => (message.role === 'tool' ? message.tool_call_id : undefined)))
  const open = calls.filter(call => !named.has(call.id))
  const [only] = open
  if (only && open.length === 1 && segment.filter(isWithoutId).length === 1) return only.id
  throw new AppError(
    'bad_request',
    `messages.${index}.tool_call_id: required; it can be left out only for one result while exactly one call waits, and ${open.length} wait`,
  )
}

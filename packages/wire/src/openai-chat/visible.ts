/** A message as its client sees it, in one text: equal messages give equal texts, however they are spelled. Pure. */
import type { ContentPart } from '@toolwire/core'
import type { OutlineBlock } from '../gateway/outline.ts'
import type { ChatMessage } from './chunk.ts'
import type { RequestMessage } from './message-schema.ts'

export function toVisible(message: RequestMessage): string {
  switch (message.role) {
    case 'system':
    case 'developer':
      return JSON.stringify(['system', toShown(message.content)])
    case 'user':
      return JSON.stringify(['user', toShown(message.content)])
    case 'tool':
      return JSON.stringify(['tool', message.tool_call_id, toShown(message.content)])
    case 'function':
      return JSON.stringify(['function', message.name, toShown(message.content)])
    case 'assistant':
      return ofAssistant(message)
  }
}

/** The answer that was sent, as it looks when the client sends it back. */
export function answerVisible(blocks: readonly OutlineBlock[], legacy: boolean): string {
  const content = blocks.map(block => (block.kind === 'text' ? block.text : '')).join('')
  const calls = blocks.flatMap(block => (block.kind === 'call' ? [block] : []))
  const called = calls.map(({ name, arguments: text }) => ({ name, arguments: text === '' ? '{}' : text }))
  if (legacy) return ofAssistant({ content, function_call: called[0] })
  const tool_calls = called.map((one, i) => ({
    id: calls[i]?.call_id ?? '',
    type: 'function' as const,
    function: one,
  }))
  return ofAssistant({ content, tool_calls })
}

type Assistant = Pick<ChatMessage, 'content'> & {
  readonly tool_calls?: ChatMessage['tool_calls'] | null | undefined
  readonly function_call?: ChatMessage['function_call'] | null | undefined
}

function ofAssistant({ content, tool_calls, function_call }: Assistant): string {
  const calls = (tool_calls ?? []).map(call => [call.id, call.function.name, call.function.arguments])
  const legacy = function_call ? [function_call.name, function_call.arguments] : []
  return JSON.stringify(['assistant', content ?? '', calls, legacy])
}

/** Text alone is one string; anything else keeps its parts. */
const toShown = (content: readonly ContentPart[]): string | readonly ContentPart[] =>
  content.every(part => part.type === 'text')
    ? content.map(part => (part.type === 'text' ? part.text : '')).join('\n')
    : content

/** A message as its client sees it, in one text: equal messages give equal texts. Pure. */
import type { ContentPart } from '@toolwire/core'
import type { OutlineBlock } from '../gateway/outline.ts'
import type { ReceivedMessage } from '../gateway/pair-results.ts'

export function toVisible(message: ReceivedMessage): string {
  if (message.role === 'result') {
    const { call_id, content, output_text } = message.result
    return JSON.stringify(['tool', call_id, content.length > 0 ? toShown(content) : output_text])
  }
  if (message.role !== 'assistant') return JSON.stringify([message.role, toShown(message.content)])
  const text = message.content.map(part => (part.type === 'text' ? part.text : '')).join('')
  const calls = message.content.flatMap(part =>
    part.type === 'tool_use' ? [[part.call_id, part.name, part.input_text]] : [],
  )
  return JSON.stringify(['assistant', text, calls])
}

/** The response that was sent, as it looks when the client sends it back. */
export function answerVisible(blocks: readonly OutlineBlock[]): string {
  const text = blocks.map(block => (block.kind === 'text' ? block.text : '')).join('')
  const calls = blocks.flatMap(block =>
    block.kind === 'call'
      ? [[block.call_id, block.name, block.arguments === '' ? '{}' : block.arguments]]
      : [],
  )
  return JSON.stringify(['assistant', text, calls])
}

const toShown = (content: readonly ContentPart[]): string | readonly ContentPart[] =>
  content.every(part => part.type === 'text')
    ? content.map(part => (part.type === 'text' ? part.text : '')).join('\n')
    : content

/** A message as its client sees it, in one text: equal messages give equal texts, however they are spelled. Pure. */
import { isExact, writeJson } from '@toolwire/core'
import type { OutlineBlock } from '../gateway/outline.ts'
import { readInput } from './read-input.ts'
import type { RequestMessage } from './request-schema.ts'

/** Thinking is left out: clients may drop it. Cache marks too: clients move them. */
export function toVisible(message: RequestMessage): string {
  if (message.role === 'assistant') return ofAssistant(message.content)
  const blocks = message.content.map(block =>
    block.type === 'tool_result'
      ? ['tool_result', block.tool_use_id, block.content, block.is_error ?? false]
      : block,
  )
  return JSON.stringify([message.role, blocks])
}

/** The answer that was sent, as it looks when the client sends it back. */
export function answerVisible(blocks: readonly OutlineBlock[]): string {
  const shown = blocks.map(
    (block): Block =>
      block.kind === 'call'
        ? { type: 'tool_use', id: block.call_id, name: block.name, input: readInput(block.arguments) }
        : { type: 'text', text: block.text },
  )
  return ofAssistant(shown)
}

type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input?: unknown }
  | { readonly type: 'thinking' | 'redacted_thinking' | 'provider' }

function ofAssistant(blocks: readonly Block[]): string {
  const shown = blocks.flatMap((block): readonly unknown[] => {
    if (block.type === 'text') return [['text', block.text]]
    return block.type === 'tool_use' ? [['tool_use', block.id, block.name, plain(block.input)]] : []
  })
  return JSON.stringify(['assistant', shown])
}

/** Some clients keep the order of keys, others cannot: it carries no meaning here. */
const plain = (input: unknown): unknown => (isExact(input) ? JSON.parse(writeJson(input)) : (input ?? {}))

/** The answer of a request that does not stream: the fold of the very events that a stream would carry. */
import type { Frame } from '../wire.ts'
import type { BlockDelta, Message, MessageBlock, MessageEvent } from './message-event.ts'
import { readExactInput } from './read-input.ts'

const EMPTY: Message = {
  id: '',
  type: 'message',
  role: 'assistant',
  model: '',
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
}

interface MessageFold {
  message: Message
  readonly blocks: MessageBlock[]
  /** Arguments of the call that is being written. */
  json: string
}

/** Folds the frames of one answer that ended well, in order. Meant for `writeJson`: odd arguments are opaque. */
export function foldMessage(frames: Iterable<Frame>): Message {
  const folding: MessageFold = { message: EMPTY, blocks: [], json: '' }
  for (const { data } of frames) take(folding, JSON.parse(data) as MessageEvent)
  return { ...folding.message, content: folding.blocks }
}

function take(folding: MessageFold, event: MessageEvent): void {
  switch (event.type) {
    case 'message_start':
      folding.message = event.message
      return
    case 'content_block_start':
      folding.blocks[event.index] = event.content_block
      folding.json = ''
      return
    case 'content_block_delta':
      takeDelta(folding, event.index, event.delta)
      return
    case 'content_block_stop': {
      const block = folding.blocks[event.index]
      if (block?.type === 'tool_use' || block?.type === 'server_tool_use')
        folding.blocks[event.index] = { ...block, input: readExactInput(folding.json) }
      return
    }
    case 'message_delta': {
      const { delta, usage, warnings, pending } = event
      folding.message = {
        ...folding.message,
        ...delta,
        usage,
        ...(warnings ? { warnings } : {}),
        ...(pending ? { pending } : {}),
      }
      return
    }
    case 'message_stop':
  }
}

function takeDelta(folding: MessageFold, index: number, delta: BlockDelta): void {
  const block = folding.blocks[index]
  if (delta.type === 'input_json_delta') folding.json += delta.partial_json
  else if (block?.type === 'text' && delta.type === 'text_delta')
    folding.blocks[index] = { ...block, text: block.text + delta.text }
  else if (block?.type === 'text' && delta.type === 'citations_delta')
    folding.blocks[index] = { ...block, citations: [...(block.citations ?? []), delta.citation] }
  else if (block?.type === 'thinking' && delta.type === 'thinking_delta')
    folding.blocks[index] = { ...block, thinking: block.thinking + delta.thinking }
  else if (block?.type === 'thinking' && delta.type === 'signature_delta')
    folding.blocks[index] = { ...block, signature: delta.signature }
}

import type { Model } from '@toolwire/core'

/** Calls the client's tool `pick` with these arguments, written in pieces. */
export const calling = (input_text: string, piece: number = input_text.length): Model => ({
  provider: 'scripted',
  id: 'demo',
  async *stream() {
    yield { type: 'start', provider_message_id: 'p', model: 'demo' }
    yield { type: 'block-start', index: 0, kind: 'tool_use', tool: { id: '', name: 'pick' } }
    for (let at = 0; at < input_text.length; at += piece)
      yield { type: 'block-delta', index: 0, input_text: input_text.slice(at, at + piece) }
    yield { type: 'block-end', index: 0 }
    const usage = { input: 1, output: 1, cache_read: 0, cache_write: 0, reasoning: 0 }
    yield { type: 'end', stop_reason: 'tool_use', finish: 'tool_calls', usage }
  },
})

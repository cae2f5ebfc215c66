/** A provider's model that searches the web by itself, pauses in the middle of its turn, and cites what it found. */
import type { Model, ModelPart, ModelRequest } from '@toolwire/core'

const USAGE = { input: 40, output: 20, cache_read: 0, cache_write: 12, reasoning: 0 }

export const SEARCH = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }
export const FOUND = {
  type: 'web_search_tool_result',
  tool_use_id: 'srvtoolu_1',
  content: [
    { type: 'web_search_result', url: 'https://example.com/', title: 'Example', encrypted_content: 'x' },
  ],
}
export const CITATION = {
  type: 'web_search_result_location',
  url: 'https://example.com/',
  title: 'Example',
  cited_text: 'It rained.',
  encrypted_index: 'e',
}

const start = (id: string): ModelPart => ({
  type: 'start',
  provider_message_id: id,
  model: 'searching',
  usage: { ...USAGE, output: 1 },
})

const SEARCHES: readonly ModelPart[] = [
  start('msg_search'),
  {
    type: 'block-start',
    index: 0,
    kind: 'provider_tool_use',
    tool: { id: 'srvtoolu_1', name: 'web_search' },
    data: SEARCH,
  },
  { type: 'block-delta', index: 0, input_text: '{"query":' },
  { type: 'block-delta', index: 0, input_text: '"rain"}' },
  { type: 'block-end', index: 0 },
  { type: 'block-start', index: 1, kind: 'provider_tool_result', data: FOUND },
  { type: 'block-end', index: 1 },
  { type: 'end', stop_reason: 'pause_turn', finish: 'pause', usage: USAGE },
]

const CITES: readonly ModelPart[] = [
  start('msg_cite'),
  { type: 'block-start', index: 0, kind: 'text' },
  { type: 'block-delta', index: 0, citation: CITATION },
  { type: 'block-delta', index: 0, text: 'It rained.' },
  { type: 'block-end', index: 0 },
  { type: 'end', stop_reason: 'end_turn', finish: 'stop', usage: USAGE },
]

const isOwnTurn = ({ messages }: ModelRequest): boolean => messages.at(-1)?.role === 'assistant'

/** Searches on a user message; continues its own unfinished turn if it gets one. */
export const searchingModel = (): Model => ({
  provider: 'searching',
  id: 'searching',
  async *stream(request) {
    yield* isOwnTurn(request) ? CITES : SEARCHES
  },
})

/** Token counts of a scripted message: estimates, but never zero and never shrinking with the history. */
import type { HistoryMessage, ModelRequest, Usage } from '@toolwire/core'
import type { PlannedBlock } from './plan.ts'

const WIDE = /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]/g

/** About four Latin characters or one and a half Chinese ones per token; at least 1. */
function estimateTokens(text: string): number {
  const wide = text.match(WIDE)?.length ?? 0
  return Math.max(1, Math.ceil((text.length - wide) / 4 + wide / 1.5))
}

/**
 * Cost of the request: the latest message is new, everything before it comes from the cache once there is a
 * history.
 */
export function requestUsage(request: ModelRequest, omitted = 0): Omit<Usage, 'output' | 'reasoning'> {
  const latest = request.messages.at(-1)
  const fixed = estimateTokens((request.system ?? '') + JSON.stringify(request.tools))
  const earlier = request.messages.slice(0, -1).reduce((sum, message) => sum + messageTokens(message), 0)
  const hasHistory = request.messages.some(message => message.role === 'assistant')
  return {
    input: (latest ? messageTokens(latest) : 1) + Math.ceil(omitted / 4),
    cache_read: hasHistory ? fixed + earlier : 0,
    cache_write: hasHistory ? 0 : fixed + earlier,
  }
}

/** Output tokens of one block. */
export function blockTokens(block: PlannedBlock): number {
  switch (block.type) {
    case 'text':
      return estimateTokens(block.text)
    case 'thinking':
      return estimateTokens(block.thinking)
    case 'tool_use':
      return estimateTokens(block.name + block.input_text) + 12
    case 'delay':
      return 0
  }
}

function messageTokens(message: HistoryMessage): number {
  return 3 + estimateTokens(JSON.stringify('results' in message ? message.results : message.content))
}

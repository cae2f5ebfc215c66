/** A gateway request as a model would be asked, so that its provider can count it. */
import type { HistoryMessage, ModelRequest } from '@toolwire/core'
import type { GatewayRequest } from '@toolwire/wire'

/** Pure. `model` is settled by the caller. */
export function toCountedRequest(request: GatewayRequest, model: string): ModelRequest {
  const told = request.history.map(
    (message): HistoryMessage =>
      message.role === 'assistant' ? { ...message, message_id: '', model } : message,
  )
  return {
    model,
    messages: [...told, ...tailOf(request)],
    tools: request.client_tools,
    options: request.options,
  }
}

function tailOf({ tail }: GatewayRequest): readonly HistoryMessage[] {
  switch (tail.type) {
    case 'message':
      return [{ role: 'user', content: tail.content }]
    case 'results': {
      const said: readonly HistoryMessage[] =
        tail.content.length > 0 ? [{ role: 'user', content: tail.content }] : []
      return [{ role: 'tool', results: tail.results }, ...said]
    }
    case 'continue':
      return []
  }
}

/** Models that take no tools, or no images, by the user's settings. */
import type { ContentPart, HistoryMessage, Model, ModelRequest } from '@toolwire/core'
import { toFailure } from '../shared/failure.ts'
import { failedStream } from '../shared/upstream.ts'
import type { ModelSettings } from './provider-entry.ts'

/** The model itself when nothing is limited. */
export function withLimits(model: Model, { tools, images }: ModelSettings): Model {
  if (tools !== false && images !== false) return model
  return {
    ...model,
    // A model may move to another API, which changes its name in the log.
    get provider() {
      return model.provider
    },
    stream(request, signal) {
      if (tools === false && request.tools.length > 0) {
        const message = `The configuration says that ${model.id} takes no tools.`
        return failedStream(toFailure('tools_unsupported', message, { provider: model.provider }))
      }
      return model.stream(images === false ? withoutImages(request) : request, signal)
    },
  }
}

const withoutImages = (request: ModelRequest): ModelRequest => ({
  ...request,
  messages: request.messages.map(plainMessage),
})

/** One copy of each message, so that caches of messages keep working. */
const copies = new WeakMap<HistoryMessage, HistoryMessage>()

function plainMessage(message: HistoryMessage): HistoryMessage {
  const copy = copies.get(message) ?? toPlain(message)
  copies.set(message, copy)
  return copy
}

function toPlain(message: HistoryMessage): HistoryMessage {
  if (message.role === 'user' && message.content.some(isImage))
    return { ...message, content: message.content.map(toText) }
  if (message.role === 'tool' && message.results.some(result => result.content.some(isImage)))
    return {
      ...message,
      results: message.results.map(result => ({ ...result, content: result.content.map(toText) })),
    }
  return message
}

const isImage = (part: ContentPart): boolean => part.type === 'image'

const toText = (part: ContentPart): ContentPart =>
  part.type === 'image' ? { type: 'text', text: '[image: this model takes none]' } : part

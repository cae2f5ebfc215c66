/**
 * How many pictures and documents one model request carries. The oldest give way to a sentence, and
 * so does one that no provider would take; the log keeps them all. So no picture can spoil a session.
 */
import type { ContentPart, HistoryMessage } from '@toolwire/core'

export interface MediaBudget {
  /** Pictures, documents and recordings of one request. */
  readonly count: number
  /** Their inline data together, in base64 characters. */
  readonly total: number
  /** One of them alone. */
  readonly each: number
}

const MEBIBYTE = 1024 ** 2

/** What the strictest of the usual providers takes: 100 items, 5 MiB a picture, 32 MB a request. */
export const MEDIA_BUDGET: MediaBudget = { count: 100, total: 20 * MEBIBYTE, each: 5 * MEBIBYTE }

/** Pure. Messages without media, and all when everything fits, come back as they are. */
export function boundMedia(
  messages: readonly HistoryMessage[],
  budget: MediaBudget = MEDIA_BUDGET,
): readonly HistoryMessage[] {
  const gone = overBudget(messages, budget)
  if (gone.size === 0) return messages
  return messages.map(message => without(message, gone))
}

function without(message: HistoryMessage, gone: ReadonlyMap<ContentPart, string>): HistoryMessage {
  switch (message.role) {
    case 'user':
    case 'system':
      return { ...message, content: replace(message.content, gone) }
    case 'tool':
      return {
        ...message,
        results: message.results.map(one => ({ ...one, content: replace(one.content, gone) })),
      }
    case 'assistant':
      return message
  }
}

type Media = Exclude<ContentPart, { type: 'text' }>

/** The parts that must go, with the reason. The newest are looked at first. */
function overBudget(messages: readonly HistoryMessage[], budget: MediaBudget): Map<ContentPart, string> {
  const gone = new Map<ContentPart, string>()
  let count = 0
  let total = 0
  for (const part of messages.flatMap(mediaOf).reverse()) {
    const size = part.source.type === 'url' ? 0 : part.source.data.length
    // A picture has a limit of its own; a document is held by the whole alone.
    const tooLarge = part.type === 'image' && size > budget.each
    if (tooLarge) gone.set(part, 'it is larger than a model takes')
    else if (count + 1 > budget.count || total + size > budget.total)
      gone.set(part, 'newer ones take the room that a request has')
    else {
      count += 1
      total += size
    }
  }
  return gone
}

function mediaOf(message: HistoryMessage): readonly Media[] {
  const parts =
    message.role === 'tool'
      ? message.results.flatMap(one => one.content)
      : message.role === 'assistant'
        ? []
        : message.content
  return parts.filter(part => part.type !== 'text')
}

const replace = (
  content: readonly ContentPart[],
  gone: ReadonlyMap<ContentPart, string>,
): readonly ContentPart[] =>
  content.map(part => {
    const why = gone.get(part)
    if (why === undefined || part.type === 'text') return part
    const title = part.title === undefined ? '' : ` "${part.title}"`
    return { type: 'text', text: `[The ${part.type}${title} that was here is left out: ${why}.]` }
  })

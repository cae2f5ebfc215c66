/** A paired conversation as the messages that a model gets. Pure. */
import type { HistoryMessage } from '@toolwire/core'
import type { PairedHistory } from '@toolwire/wire'

export function toModelMessages({ history, tail }: PairedHistory, model = ''): readonly HistoryMessage[] {
  const past = history.map(
    (message): HistoryMessage =>
      message.role === 'assistant' ? { ...message, message_id: '', model } : message,
  )
  switch (tail.type) {
    case 'message':
      return [...past, { role: 'user', content: tail.content }]
    case 'results':
      return [...past, { role: 'tool', results: tail.results }, ...tail.joined]
    case 'continue':
      return past
  }
}

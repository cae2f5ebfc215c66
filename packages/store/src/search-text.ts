/** The text that a session is found by: what users wrote, and what models answered. The same for every store. */
import type { Append, SessionEvent } from '@toolwire/core'

/** Characters of one write that are indexed: indexing more would hold up other sessions. */
const MOST = 100_000

/** `index.text` where a write has it, else what its events say; undefined when that is nothing. */
export function searchTextOf({ events, index }: Append): string | undefined {
  if (index?.text !== undefined) return index.text
  const text = saidIn(events, MOST)
  return text === '' ? undefined : text
}

/** Messages of users and completed text of models, of nested agents too, up to about `most` characters. */
export function saidIn(events: readonly SessionEvent[], most = Number.POSITIVE_INFINITY): string {
  const texts: string[] = []
  let left = most
  for (const event of events) {
    if (left <= 0) break
    const text = textIn(event).slice(0, left)
    if (text === '') continue
    texts.push(text)
    left -= text.length
  }
  return texts.join('\n')
}

function textIn(event: SessionEvent): string {
  if (event.type === 'block.completed') return event.text ?? ''
  if (event.type !== 'input.message' || event.role !== 'user') return ''
  return event.content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n')
}

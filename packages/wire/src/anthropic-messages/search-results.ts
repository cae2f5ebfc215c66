/**
 * Search results inside tool results do not exist in other providers' APIs, so they are sent as text, with a
 * warning.
 */
import type { Warnings } from '../gateway/warning.ts'

/** Warns once, never rejects: the whole text arrives. */
export function noteSearchResults(body: unknown, warnings: Warnings): void {
  const blocks = membersOf(body, 'messages').flatMap(message => membersOf(message, 'content'))
  const inside = blocks.flatMap(block => membersOf(block, 'content'))
  if (
    inside.some(
      part => typeof part === 'object' && part !== null && 'type' in part && part.type === 'search_result',
    )
  )
    warnings.note('search_result_in_words', 'messages: search results inside a result travel as their words.')
}

function membersOf(value: unknown, field: string): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = (value as Readonly<Record<string, unknown>>)[field]
  return Array.isArray(inner) ? inner : []
}

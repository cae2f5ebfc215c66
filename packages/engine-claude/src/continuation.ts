/** Decides if a running child can continue with a request, or a new one must be built from the log. Pure. */
import type { HistoryMessage, ToolResultPart } from '@toolwire/core'

/** The child's knowledge and what it waits for. */
export interface ChildStatus {
  /** Messages of the history when its latest message began. */
  readonly known: number
  /** Its turn has ended: it waits for a message. */
  readonly idle: boolean
  /** Ids, as the log has them, of the calls that its latest message made. */
  readonly calls: ReadonlySet<string>
}

export type Continuation =
  /** It works already: listen. */
  | { readonly do: 'listen' }
  | { readonly do: 'answer'; readonly results: readonly ToolResultPart[] }
  | { readonly do: 'say'; readonly messages: readonly HistoryMessage[] }
  | { readonly do: 'rebuild' }

/**
 * The history of a session only grows, so the part after `known` decides: the child's own message, then either all
 * its results or a new message. Anything else happened without this child.
 */
export function continuationOf(standing: ChildStatus, messages: readonly HistoryMessage[]): Continuation {
  const since = messages.slice(standing.known)
  const news = since[0]?.role === 'assistant' ? since.slice(1) : since
  if (news.some(message => message.role === 'assistant')) return { do: 'rebuild' }
  const [first] = news
  if (!first) return standing.idle ? { do: 'rebuild' } : { do: 'listen' }
  if (first.role !== 'tool') return standing.idle ? { do: 'say', messages: news } : { do: 'rebuild' }
  const isOurs = first.results.every(result => standing.calls.has(result.call_id))
  if (news.length > 1 || standing.idle || !isOurs) return { do: 'rebuild' }
  return { do: 'answer', results: first.results }
}

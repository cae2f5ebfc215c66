/**
 * Builds the history that a model sees after compaction. Pure and computed from the log alone: equal records give
 * equal requests. Invariants: calls stay paired, because only whole messages are replaced; system messages are
 * kept.
 */
import type { EventOf } from '../event.ts'
import { flushCalls } from './flush-calls.ts'
import type { HistoryMessage, ToolResultPart } from './history.ts'
import type { AgentState, Compaction } from './state.ts'

/** Characters that a shortened output keeps. */
export const SHORTENED_TO = 400

export const toCompaction = (ev: EventOf<'history.compacted'>): Compaction => ({
  replaced: ev.replaced,
  ...(ev.summary === undefined ? {} : { summary: ev.summary }),
  shortened: ev.shortened,
  ...(ev.repeated === undefined ? {} : { repeated: ev.repeated }),
  is_news: true,
})

/** The history as the model is to see it: every call answered, and compacted as the log says. */
export function modelHistory(state: AgentState): readonly HistoryMessage[] {
  const messages = flushCalls(state)
  const { compaction } = state
  if (!compaction) return messages
  const shortened = new Set(compaction.shortened)
  return [
    ...summarised(messages.slice(0, compaction.replaced), compaction.summary),
    ...messages.slice(compaction.replaced).map(message => withShort(message, shortened)),
  ]
}

/** System messages at the very beginning stay there, later ones stay behind what they followed. */
function summarised(
  replaced: readonly HistoryMessage[],
  summary: string | undefined,
): readonly HistoryMessage[] {
  if (summary === undefined) return replaced
  const leading = replaced.findIndex(message => message.role !== 'system')
  const isSystem = (message: HistoryMessage): boolean => message.role === 'system'
  const told: HistoryMessage = { role: 'user', content: [{ type: 'text', text: summary }] }
  if (leading === -1) return [...replaced, told]
  return [...replaced.slice(0, leading), told, ...replaced.slice(leading).filter(isSystem)]
}

function withShort(message: HistoryMessage, shortened: ReadonlySet<string>): HistoryMessage {
  if (message.role !== 'tool' || !message.results.some(result => shortened.has(result.call_id)))
    return message
  return {
    ...message,
    results: message.results.map(result => (shortened.has(result.call_id) ? shorten(result) : result)),
  }
}

function shorten(result: ToolResultPart): ToolResultPart {
  const { output_text } = result
  const note = `[This output of ${output_text.length} characters was shortened to save room.]`
  return { ...result, content: [], output_text: `${output_text.slice(0, SHORTENED_TO)}\n${note}` }
}

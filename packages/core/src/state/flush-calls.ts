/** Moves the latest message's calls into the history as one tool message, results in call order. */
import type { EventOf } from '../event.ts'
import type { HistoryMessage, ToolResultPart } from './history.ts'
import type { AgentState, CallState, QueuedMessage } from './state.ts'

const NO_RESULT = 'No result was recorded for this call; it may or may not have taken effect.'

/**
 * The history with every call answered: a call without an outcome gets an error result,
 * so that no provider request can hold an unpaired call. Messages that came with the results follow them.
 */
export function flushCalls(state: AgentState): readonly HistoryMessage[] {
  const joined = state.queue.filter(isJoined)
  const settled = settle(state)
  if (joined.length === 0) return settled
  return [...settled, ...joined.map(({ event }) => toMessage(event))]
}

/** An input as the history holds it. Older logs do not mark the report of an agent: the whole notice is outside text. */
export function toMessage({ role, content, notifies }: EventOf<'input.message'>): HistoryMessage {
  const isMarked = content.some(part => part.type === 'text' && part.outside !== undefined)
  if (notifies === undefined || isMarked) return { role, content }
  return { role, content: content.map(part => (part.type === 'text' ? { ...part, outside: 'agent' } : part)) }
}

/** Part of the answers to a pause, or delivered to the run; `flushCalls` adds it to the history, so it starts no run. */
export const isJoined = ({ event, delivered }: QueuedMessage): boolean =>
  event.if_paused === 'join' || delivered === true

/** The queue once `flushCalls` has taken what it takes. */
export const withoutJoined = (queue: readonly QueuedMessage[]): readonly QueuedMessage[] =>
  queue.some(isJoined) ? queue.filter(queued => !isJoined(queued)) : queue

function settle(state: AgentState): readonly HistoryMessage[] {
  const last = state.messages.at(-1)
  if (last?.role !== 'assistant') return state.messages
  const asked = last.content.flatMap(part => (part.type === 'tool_use' ? [part] : []))
  if (asked.length === 0) return state.messages
  const byId = new Map(state.calls.map(call => [call.call_id, call]))
  const results = asked.map(part => toResult(part.call_id, part.name, byId.get(part.call_id)))
  return [...state.messages, { role: 'tool', results }]
}

function toResult(call_id: string, name: string, call: CallState | undefined): ToolResultPart {
  const outcome = call?.outcome
  if (outcome)
    return {
      type: 'tool_result',
      call_id,
      name,
      output_text: outcome.output_text,
      content: outcome.content,
      is_error: outcome.is_error,
      ...(outcome.outside === undefined ? {} : { outside: outcome.outside }),
    }
  return { type: 'tool_result', call_id, name, output_text: NO_RESULT, content: [], is_error: true }
}

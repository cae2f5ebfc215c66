/** The ids of calls that a new call must not have: providers repeat theirs. */
import type { HistoryMessage } from '@toolwire/core'
import type { AgentPort } from './agent-port.ts'

export interface CallIds {
  readonly has: (id: string) => boolean
  readonly add: (id: string) => void
}

/** Every id that a call of the session may be known by. Reads only what was added to the histories since the last call. */
export function usedCallIds({ journal, state }: AgentPort): CallIds {
  const { callIds } = journal
  const agents = new Set([state(), journal.state, ...Object.values(journal.state.agents)])
  const others = (journal.state.hidden ?? []).map(exchange => exchange.messages)
  const histories = [...[...agents].map(agent => agent.messages), ...others]
  const sets = [...histories.map(idsInHistory), ...[...agents].map(agent => idsIn(agent.aborted_calls))]
  return {
    has: id => callIds.has(id) || sets.some(ids => ids.has(id)),
    add: id => void callIds.add(id),
  }
}

/** Ids by the last message of a history, which only grows at its end: a longer history continues the set. */
const byLastMessage = new WeakMap<HistoryMessage, Set<string>>()

function idsInHistory(messages: readonly HistoryMessage[]): ReadonlySet<string> {
  const known = messages.findLastIndex(message => byLastMessage.has(message))
  const start = messages[known]
  const ids = (start && byLastMessage.get(start)) ?? new Set<string>()
  for (const message of messages.slice(known + 1))
    if (message.role === 'assistant')
      for (const part of message.content) if (part.type === 'tool_use') ids.add(part.call_id)
  const last = messages.at(-1)
  if (last) byLastMessage.set(last, ids)
  return ids
}

const byList = new WeakMap<readonly string[], ReadonlySet<string>>()

function idsIn(list: readonly string[]): ReadonlySet<string> {
  const ids = byList.get(list) ?? new Set(list)
  byList.set(list, ids)
  return ids
}

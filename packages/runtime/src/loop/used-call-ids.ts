/** The ids of calls that a new call must not have: providers repeat theirs. */
import type { AgentState } from '@toolwire/core'
import type { AgentPort } from './agent-port.ts'

/** Every id that a call of the session may be known by. */
export function usedCallIds({ journal, state }: AgentPort): Set<string> {
  const { callIds } = journal
  for (const agent of [state(), journal.state, ...Object.values(journal.state.agents)])
    for (const id of callIdsOf(agent)) callIds.add(id)
  return callIds
}

function callIdsOf(state: AgentState): readonly string[] {
  const inHistory = state.messages.flatMap(message =>
    message.role === 'assistant'
      ? message.content.flatMap(part => (part.type === 'tool_use' ? [part.call_id] : []))
      : [],
  )
  return [...inHistory, ...state.aborted_calls]
}

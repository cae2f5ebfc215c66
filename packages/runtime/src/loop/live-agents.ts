/** The agents in a session's background, as a call sees them: which there are, and how to end one. */
import { isWaiting, type LiveAgents, type SubagentState } from '@toolwire/core'
import type { AgentPort } from './agent-port.ts'
import { latestText } from './run-agent.ts'

/** `look` is called when the wish to end one is committed. */
export function createLiveAgents(port: AgentPort, look: () => void): LiveAgents {
  const open = (): readonly SubagentState[] =>
    Object.values(port.journal.state.agents).filter(agent => agent.spec.background && !agent.ended)
  return {
    list: () =>
      open().map(agent => ({
        agent_run_id: agent.agent_run_id,
        name: agent.name,
        state: agent.calls.some(isWaiting) ? 'waiting' : 'working',
        text: latestText(agent),
      })),
    async stop(agent_run_id, reason) {
      const agent = open().find(one => one.agent_run_id === agent_run_id)
      if (!agent) return false
      if (!agent.cancel)
        await port.commit({ type: 'input.cancel', ...port.stamp(), agent_run_id, reason, by: 'agent' })
      look()
      return true
    },
  }
}

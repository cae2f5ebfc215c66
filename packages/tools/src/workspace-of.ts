/** The workspace of an agent: its own, that of the nearest agent above it that has one, or the session's. */
import type { ToolScope } from '@toolwire/core'

export interface Workspace {
  readonly path: string
  /** It is an agent's own: what the session remembers of its working directory does not count there. */
  readonly isolated: boolean
}

export function workspaceOf(scope: Pick<ToolScope, 'session' | 'agent_run_id'>): Workspace {
  const { agents, created } = scope.session()
  for (let id = scope.agent_run_id; id !== undefined; id = agents[id]?.parent_agent_run_id) {
    const own = agents[id]?.spec.cwd
    if (own !== undefined) return { path: own, isolated: true }
  }
  return { path: created?.cwd ?? process.cwd(), isolated: false }
}

/**
 * Cleanups for resources that suspended calls keep open, such as MCP connections. Each runs exactly once, at the
 * latest when its call ends.
 */
import type { SessionState, ToolScope } from '@toolwire/core'

export interface CallCleanups {
  /** `end` runs once when the call is over. */
  readonly add: (scope: ToolScope, call_id: string, end: () => void) => void
  /** The call has its terminal event. */
  readonly end: (scope: ToolScope, call_id: string) => void
  /** Ends what belongs to calls that are no longer open. */
  readonly sweep: (session_id: string, session: SessionState) => void
}

interface CleanupEntry {
  readonly session_id: string
  readonly agent_run_id: string | undefined
  readonly call_id: string
  readonly ends: (() => void)[]
}

export function createCallCleanups(): CallCleanups {
  const kept = new Map<string, CleanupEntry>()
  const keyOf = ({ session_id, agent_run_id = '' }: Omit<ToolScope, 'agent' | 'session'>, call_id: string) =>
    `${session_id}/${agent_run_id}/${call_id}`

  function drop(key: string): void {
    const entry = kept.get(key)
    kept.delete(key)
    for (const end of entry?.ends ?? []) end()
  }

  return {
    add(scope, call_id, end) {
      const key = keyOf(scope, call_id)
      const { session_id, agent_run_id } = scope
      const entry = kept.get(key) ?? { session_id, agent_run_id, call_id, ends: [] }
      entry.ends.push(end)
      kept.set(key, entry)
    },
    end: (scope, call_id) => drop(keyOf(scope, call_id)),
    sweep(session_id, session) {
      for (const [key, entry] of kept)
        if (entry.session_id === session_id && !isOpen(entry, session)) drop(key)
    },
  }
}

function isOpen({ agent_run_id, call_id }: CleanupEntry, session: SessionState): boolean {
  const agent = agent_run_id === undefined ? session : session.agents[agent_run_id]
  return agent?.calls.some(call => call.call_id === call_id && !call.outcome) ?? false
}

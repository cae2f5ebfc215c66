/** One abort signal per call, for stopping that call alone. */
import type { AgentPort } from './agent-port.ts'

export interface CallStops {
  /** Aborted when the call is stopped; at once when it was stopped already. */
  readonly signal: (call_id: string) => AbortSignal
  /** The folded state may hold a stop now. */
  readonly check: () => void
}

export function createCallStops(port: AgentPort): CallStops {
  const switches = new Map<string, AbortController>()
  function check(): void {
    const { calls } = port.state()
    for (const call of calls) if (call.cancel) switches.get(call.call_id)?.abort()
    // Calls of earlier messages are over.
    const ids = new Set(calls.map(call => call.call_id))
    for (const id of switches.keys()) if (!ids.has(id)) switches.delete(id)
  }
  return {
    check,
    signal(call_id) {
      const known = switches.get(call_id) ?? new AbortController()
      switches.set(call_id, known)
      if (port.state().calls.find(call => call.call_id === call_id)?.cancel) known.abort()
      return known.signal
    },
  }
}

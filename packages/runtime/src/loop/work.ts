/** The voice and scope a step works with, and the switch that a cancel throws. */
import type { Ids } from '@toolwire/core'
import type { AgentPort } from './agent-port.ts'
import type { Work } from './drive.ts'

export interface WorkSource {
  /** A fresh voice; its signal is aborted by a cancel, or by the process stopping. */
  readonly next: () => Work
  /** Called when the folded state may hold a cancel now. */
  readonly checkCancel: () => void
}

export function createWork(port: AgentPort, options: { readonly ids: Ids }, stop: AbortSignal): WorkSource {
  const { journal } = port
  let cancel = new AbortController()
  function checkCancel(): void {
    if (port.state().cancel) cancel.abort()
  }
  return {
    checkCancel,
    next() {
      if (cancel.signal.aborted && !port.state().cancel) cancel = new AbortController()
      checkCancel()
      return {
        scope: {
          session_id: journal.session,
          session: () => journal.state,
          agent: port.state,
          agent_run_id: port.agent_run_id,
        },
        voice: {
          emit: port.emit,
          commit: port.commit,
          stamp: port.stamp,
          signal: AbortSignal.any([cancel.signal, stop]),
          epoch: journal.epoch,
          newId: options.ids.prefixed,
        },
      }
    },
  }
}

/** The voice and scope a step works with, and the switch that a cancel throws. */
import { type AgentPort, type Clock, createAgentPort } from './agent-port.ts'
import { type DriveDeps, drive, type Work } from './drive.ts'
import { runAgent } from './run-agent.ts'

export interface WorkSource {
  /** A fresh voice; its signal is aborted by a cancel, or by the process stopping. */
  readonly next: () => Work
  /** Called when the folded state may hold a cancel now, of this agent or of one it has started. */
  readonly checkCancel: () => void
}

export interface WorkOptions {
  readonly deps: DriveDeps
  readonly clock: Clock
}

export function createWork(port: AgentPort, options: WorkOptions, stop: AbortSignal): WorkSource {
  const { journal } = port
  const { deps, clock } = options
  const children = new Set<WorkSource>()
  let cancel = new AbortController()
  function checkCancel(): void {
    if (port.state().cancel) cancel.abort()
    for (const child of children) child.checkCancel()
  }
  /** A subagent is driven like its parent, until it rests or the parent's call is stopped. */
  async function driveChild(child: AgentPort, signal: AbortSignal): Promise<void> {
    const work = createWork(child, options, signal)
    children.add(work)
    try {
      await drive(child, deps, work.next, signal)
    } finally {
      children.delete(work)
    }
  }
  return {
    checkCancel,
    next() {
      if (cancel.signal.aborted && !port.state().cancel) cancel = new AbortController()
      checkCancel()
      const signal = AbortSignal.any([cancel.signal, stop])
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
          signal,
          epoch: journal.epoch,
          newId: deps.newId,
          runAgent: (call_id, spec) =>
            runAgent(call_id, spec, {
              parent: port,
              open: id => createAgentPort(journal, clock, id),
              drive: child => driveChild(child, signal),
              now: deps.now,
              signal,
            }),
        },
      }
    },
  }
}

/** The voice and scope a step works with, and the switch that a cancel throws. */
import { type AgentPort, type Clock, createAgentPort } from './agent-port.ts'
import { createCallStops } from './call-stops.ts'
import { watchDeadline } from './deadline.ts'
import { type DriveDeps, drive, type StepContext } from './drive.ts'
import { closeAgentOf } from './end-run.ts'
import { createLiveAgents } from './live-agents.ts'
import { runAgent } from './run-agent.ts'

export interface StepContexts {
  /** A fresh voice; its signal is aborted by a cancel, or by the process stopping. */
  readonly next: () => StepContext
  /** Called when the folded state may hold a cancel now, of this agent or of one it has started. */
  readonly checkCancel: () => void
}

export interface StepContextOptions {
  readonly deps: DriveDeps
  readonly clock: Clock
  /** Called when an agent in the background was begun. */
  readonly detach: () => void
  /** Called when the folded state may hold a cancel of an agent in the background now. */
  readonly look: () => void
}

export function createStepContexts(
  port: AgentPort,
  options: StepContextOptions,
  stop: AbortSignal,
): StepContexts {
  const { journal } = port
  const { deps, clock } = options
  const { withdraw, record } = deps
  const children = new Set<StepContexts>()
  const deadline = watchDeadline(() => journal.state, clock.now)
  let cancel = new AbortController()
  const stops = createCallStops(port)
  function checkCancel(): void {
    if (port.state().cancel) cancel.abort()
    stops.check()
    for (const child of children) child.checkCancel()
  }
  /** A subagent is driven like its parent, until it is idle or the parent's call is stopped. */
  async function driveChild(child: AgentPort, signal: AbortSignal): Promise<void> {
    const work = createStepContexts(child, options, signal)
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
      // A subagent's work ends with the call that it is done for.
      const time = port.agent_run_id === undefined ? deadline.signal() : undefined
      const signal = AbortSignal.any([cancel.signal, stop, ...(time ? [time] : [])])
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
          signalFor: call_id => AbortSignal.any([signal, stops.signal(call_id)]),
          async closeAgent(call_id, reason) {
            const closing = { stamp: port.stamp(), now: deps.now(), reason }
            await port.commit(...closeAgentOf(journal.state, { call_id, owner: port.agent_run_id }, closing))
          },
          agents: createLiveAgents(port, options.look),
          epoch: journal.epoch,
          newId: deps.newId,
          ...(withdraw === undefined ? {} : { withdraw: question => withdraw(journal.session, question) }),
          ...(record === undefined ? {} : { record: event => record(journal.session, event) }),
          runAgent(call_id, spec) {
            const mine = AbortSignal.any([signal, stops.signal(call_id)])
            return runAgent(call_id, spec, {
              parent: port,
              open: id => createAgentPort(journal, clock, id),
              drive: child => driveChild(child, mine),
              detach: options.detach,
              now: deps.now,
              signal: mine,
            })
          },
        },
      }
    },
  }
}

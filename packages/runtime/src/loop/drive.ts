/**
 * Drives one agent until it waits or is idle: fold, decide, act, append, repeat. It holds nothing between steps,
 * so a crash loses only the step, and resuming is driving.
 */
import type { ToolHost, ToolScope, Withdrawal } from '@toolwire/core'
import { type EventOf, type ModelChooser, next, type Step } from '@toolwire/core'
import type { AgentPort } from './agent-port.ts'
import { type RunDefaults, resumeAgent, resumeRun, startRun } from './begin-run.ts'
import { exhaustion, refusal } from './budget.ts'
import { callModel } from './call-model.ts'
import { isOverdue } from './deadline.ts'
import { deliverNotices } from './deliver-notices.ts'
import { cancelRun, closeAgents, closeTurn, completeRun, failRun } from './end-run.ts'
import { admitSteering, askBeforeRequest, mayStop, withReports } from './lifecycle.ts'
import { type SetContextDeps, setContext } from './set-context.ts'

export interface DriveDeps extends SetContextDeps {
  readonly defaults: RunDefaults
  readonly choose?: ModelChooser | undefined
  /** Closes a question of a call that continues without an answer. */
  readonly withdraw?: (session: string, question: Withdrawal) => Promise<void>
  /** Appends what a call said after its end; the session may have another owner by then. */
  readonly record?: (session: string, event: EventOf<'note'>) => Promise<void>
}

/** The work that one step may do; a fresh one for every step, because a cancel uses it up. */
export interface StepContext {
  readonly scope: ToolScope
  readonly voice: ToolHost
}

const SUPERSEDED = 'the user sent a new message instead of answering'

/** Returns when the agent waits or is idle, or when `stop` is aborted (then open items stay open). */
export async function drive(
  given: AgentPort,
  deps: DriveDeps,
  work: () => StepContext,
  stop: AbortSignal,
): Promise<void> {
  const port = withReports(given, deps.tools.hooks, stop)
  while (!stop.aborted) {
    const step = withinLimits(next(port.state(), port.journal.state.agents), port)
    switch (step.do) {
      case 'rest':
        return
      case 'start':
        await port.commit(...startRun(port.journal.state, step.input, port.stamp(), defaultsOf(port, deps)))
        break
      case 'resume':
        await resume(port, deps, step)
        break
      case 'abort-turn':
        await port.commit(...closeTurn(port.state(), port.stamp(), { reason: 'interrupted' }))
        break
      case 'deliver':
        await within(port, deps, work(), async mine => {
          await port.commit(...(await admitSteering(step.inputs, port, deps, mine)))
        })
        break
      case 'call-model':
        await within(port, deps, work(), mine => ask(port, deps, mine))
        break
      case 'settle':
        await within(port, deps, work(), async ({ scope, voice }) => {
          await deps.tools.settle(step.calls, scope, voice)
          await port.commit()
        })
        break
      case 'pause':
        await port.commit({
          type: 'run.paused',
          ...port.stamp(),
          reason: step.reason,
          pending: [...step.pending],
        })
        break
      case 'cancel':
        await cancel(port, deps, port.state().cancel?.reason ?? '')
        break
      case 'supersede':
        await cancel(port, deps, SUPERSEDED)
        break
      case 'end':
        await end(port, deps, work())
        break
    }
  }
}

const defaultsOf = ({ journal }: AgentPort, { defaults, choose }: DriveDeps): RunDefaults => ({
  ...defaults,
  choose: choose && (id => choose(id, journal.session)),
})

/** A run that may make no further request has nothing delivered: the messages wait for the next run. */
const withinLimits = (step: Step, port: AgentPort): Step =>
  step.do === 'deliver' && exhaustion(port.state(), port.journal.state.run) ? { do: step.otherwise } : step

async function end(port: AgentPort, deps: DriveDeps, work: StepContext): Promise<void> {
  if (!(await mayStop(port, deps, work))) return
  await port.commit(...completeRun(port.state(), port.stamp(), deps.now()))
}

async function resume(
  port: AgentPort,
  deps: DriveDeps,
  step: Extract<Step, { do: 'resume' }>,
): Promise<void> {
  const events =
    port.agent_run_id === undefined
      ? resumeRun(port.journal.state, step, port.stamp(), deps.defaults)
      : resumeAgent(port.state(), step, port.stamp())
  await port.commit(...events)
}

async function cancel(port: AgentPort, deps: DriveDeps, reason: string): Promise<void> {
  const closing = { stamp: port.stamp(), now: deps.now(), reason }
  await port.commit(
    ...closeAgents(port.journal.state, port.agent_run_id, closing),
    ...cancelRun(port.state(), port.stamp(), deps.now(), reason),
  )
}

/** Does the work, unless the run's time is up or runs out meanwhile: that ends the run, not just the step. */
async function within(
  port: AgentPort,
  deps: DriveDeps,
  work: StepContext,
  does: (work: StepContext) => Promise<void>,
): Promise<void> {
  const { signal } = work.voice
  if (!isOverdue(signal)) await does(work)
  // A subagent is closed by the agent that owns the time.
  if (!isOverdue(signal) || port.agent_run_id !== undefined || port.state().phase !== 'running') return
  const error = refusal('deadline_exceeded', `The run used up its ${port.state().run?.max_duration_ms} ms.`)
  const closing = { stamp: port.stamp(), now: deps.now(), reason: error.message }
  await port.commit(
    ...closeAgents(port.journal.state, undefined, closing),
    ...failRun(port.state(), port.stamp(), deps.now(), error),
  )
}

/** Asks the model, unless the run has used up its turns or its budget. */
async function ask(port: AgentPort, deps: DriveDeps, work: StepContext): Promise<void> {
  const exhausted = exhaustion(port.state(), port.journal.state.run)
  if (exhausted) return await port.commit(...failRun(port.state(), port.stamp(), deps.now(), exhausted))
  await setContext(port, deps, work)
  if (work.voice.signal.aborted) return
  if (!(await askBeforeRequest(port, deps, work))) return
  await deliverNotices(port, deps, work.scope)
  await callModel(port, deps, work.scope, work.voice)
}

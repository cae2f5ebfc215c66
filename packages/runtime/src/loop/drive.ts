/**
 * Drives one agent until it waits or rests: fold, decide, do, append, again. It holds
 * nothing between steps, so a crash loses nothing but the step, and resuming is driving.
 */
import { next, type Step } from '@toolwire/core'
import type { ToolScope, ToolVoice } from '../tools/tool-system.ts'
import type { AgentPort } from './agent-port.ts'
import { type RunDefaults, resumeAgent, resumeRun, startRun } from './begin-run.ts'
import { type CallModelDeps, callModel, failure } from './call-model.ts'
import { cancelRun, closeAgents, closeTurn, completeRun, failRun } from './end-run.ts'

export interface DriveDeps extends CallModelDeps {
  readonly defaults: RunDefaults
}

/** The work that one step may do; a fresh one for every step, because a cancel uses it up. */
export interface Work {
  readonly scope: ToolScope
  readonly voice: ToolVoice
}

const SUPERSEDED = 'the user sent a new message instead of answering'

/** Returns when the agent waits or rests, or when `stop` is aborted (then whatever is open stays open). */
export async function drive(
  port: AgentPort,
  deps: DriveDeps,
  work: () => Work,
  stop: AbortSignal,
): Promise<void> {
  while (!stop.aborted) {
    const step = next(port.state(), port.journal.state.agents)
    switch (step.do) {
      case 'rest':
        return
      case 'start':
        await port.commit(...startRun(port.journal.state, step.input, port.stamp(), deps.defaults))
        break
      case 'resume':
        await resume(port, deps, step)
        break
      case 'abort-turn':
        await port.commit(...closeTurn(port.state(), port.stamp(), 'interrupted'))
        break
      case 'call-model':
        await ask(port, deps, work())
        break
      case 'settle': {
        const { scope, voice } = work()
        await deps.tools.settle(step.calls, scope, voice)
        await port.commit()
        break
      }
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
        await port.commit(...completeRun(port.state(), port.stamp(), deps.now()))
        break
    }
  }
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

/** Asks the model, unless the run has used up its turns or its budget. */
async function ask(port: AgentPort, deps: DriveDeps, work: Work): Promise<void> {
  const { run } = port.state()
  const budget = port.journal.state.run
  // The session's run counts what its subagents spend: they share its budget.
  const spent = (budget?.usage ?? []).reduce((sum, row) => sum + (row.cost_usd ?? 0), 0)
  const exhausted =
    run?.max_turns !== undefined && run.num_turns >= run.max_turns
      ? failure('max_turns', `The run used up its ${run.max_turns} turns.`)
      : budget?.max_cost_usd !== undefined && spent >= budget.max_cost_usd
        ? failure('budget_exceeded', `The run used up its budget of $${budget.max_cost_usd}.`)
        : undefined
  if (exhausted) return await port.commit(...failRun(port.state(), port.stamp(), deps.now(), exhausted))
  await callModel(port, deps, work.scope, work.voice)
}

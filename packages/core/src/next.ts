/**
 * Computes the next step of an agent from its state alone. The runtime performs the step, appends the outcome and
 * asks again; resuming after a crash is the same call.
 */
import type { PauseReason, PendingItem } from './event.ts'
import { heldNote } from './ids.ts'
import { isStartable } from './state/evolve-queue.ts'
import type { AgentState, CallState, QueuedMessage, SubagentState } from './state/state.ts'

export type Step =
  | { readonly do: 'start'; readonly input: QueuedMessage }
  | { readonly do: 'resume'; readonly resolved: readonly string[]; readonly remaining: readonly string[] }
  /** A turn that nobody ended was cut off by a crash: mark it, then ask the model again. */
  | { readonly do: 'abort-turn' }
  | { readonly do: 'call-model' }
  /** Messages go to the model with the next request; `otherwise` is the step if the run may make none. */
  | {
      readonly do: 'deliver'
      readonly inputs: readonly QueuedMessage[]
      readonly otherwise: 'call-model' | 'end'
    }
  | { readonly do: 'settle'; readonly calls: readonly CallState[] }
  | { readonly do: 'pause'; readonly reason: PauseReason; readonly pending: readonly PendingItem[] }
  | { readonly do: 'cancel' }
  | { readonly do: 'supersede' }
  | { readonly do: 'end' }
  | { readonly do: 'rest' }

/** Subagents by their run id, as the session keeps them. */
export type Agents = Readonly<Record<string, SubagentState>>

/** `agents` are the session's; a call that works through one of them waits while that one waits. */
export function next(state: AgentState, agents: Agents = {}): Step {
  switch (state.phase) {
    case 'idle':
      return whenIdle(state)
    case 'paused':
      return whenPaused(state, agents)
    case 'running':
      return whenRunning(state, agents)
  }
}

function whenIdle(state: AgentState): Step {
  // A message that opens a branch was written for the history as it was shown, before what waits.
  const input = state.queue.find(queued => queued.event.branch) ?? state.queue.find(isStartable)
  return input ? { do: 'start', input } : { do: 'rest' }
}

function whenPaused(state: AgentState, agents: Agents): Step {
  const open = state.calls.filter(c => !c.outcome)
  const nested = open.map(call => nestedOf(state, call, agents))
  const resolved = open.flatMap((c, i) => nested[i]?.resolved ?? (isAnswered(c) ? [c.call_id] : []))
  const remaining = open.flatMap((c, i) => nested[i]?.remaining ?? (isAnswered(c) ? [] : [c.call_id]))
  if (state.cancel) return { do: 'resume', resolved: [], remaining: [...resolved, ...remaining] }
  const wakes = open.length === 0 || resolved.length > 0 || nested.some(one => one?.waits === false)
  if (wakes) return { do: 'resume', resolved, remaining }
  if (isSuperseded(state)) return { do: 'resume', resolved: [], remaining }
  return { do: 'rest' }
}

function whenRunning(state: AgentState, agents: Agents): Step {
  if (state.cancel) return { do: 'cancel' }
  if (state.turn) return { do: 'abort-turn' }
  const open = state.calls.filter(c => !c.outcome)
  const waits = (call: CallState): boolean => isWaiting(call) || nestedOf(state, call, agents)?.waits === true
  const isHeld = (call: CallState): boolean => state.calls.some(c => heldAfter(state, call, c) && waits(c))
  const ready = open.filter(c => !waits(c) && !isHeld(c))
  if (ready.length > 0) return { do: 'settle', calls: ready }
  if (open.length > 0) {
    if (isSuperseded(state)) return { do: 'supersede' }
    const pending = open.flatMap(call => pendingOf(state, call, agents))
    return { do: 'pause', reason: pauseReason(pending), pending }
  }
  const otherwise = afterCalls(state)
  // Content of the provider is still to come: a message in between would leave its calls without results.
  if (state.run?.last?.finish === 'pause') return { do: otherwise }
  if (state.queue.some(queued => queued.delivered)) return { do: 'call-model' }
  const inputs = state.queue.filter(isSteering)
  return inputs.length > 0 ? { do: 'deliver', inputs, otherwise } : { do: otherwise }
}

/** The step once no call is open and no message was delivered to the run. */
function afterCalls(state: AgentState): 'call-model' | 'end' {
  if (state.calls.length > 0) return isCutOff(state) ? 'end' : 'call-model'
  const finish = state.run?.last?.finish
  return finish === undefined || finish === 'pause' ? 'call-model' : 'end'
}

const isSteering = (queued: QueuedMessage): boolean =>
  queued.event.when_running === 'steer' && !queued.delivered && !queued.held && !queued.event.branch

/**
 * The client's output limit ended a message that only calls client tools. As in the client's own API, the response
 * ends there; continuing would exceed the limit.
 */
function isCutOff({ run, calls }: AgentState): boolean {
  if (run?.last?.finish !== 'length') return false
  const asIs = new Set(run.client_tools.flatMap(tool => (tool.as_is ? [tool.name] : [])))
  return calls.every(call => asIs.has(call.name))
}

/** A user sent a message that does not wait for the pause; earlier queued messages still run first. */
const isSuperseded = (state: AgentState): boolean =>
  state.queue.some(queued => queued.event.if_paused === 'supersede' && !queued.held)

/** Waits for an external answer: an approval without a decision, or a client tool without an output. */
export function isWaiting(call: CallState): boolean {
  if (call.outcome || isAnswered(call)) return false
  if (call.approval && !call.approval.decision) return true
  return call.client !== undefined
}

/** Must come after `other`, because both touch the same thing: the tool system noted it. */
function heldAfter(state: AgentState, call: CallState, other: CallState): boolean {
  const after = state.notes?.[heldNote(call.call_id)]
  return Array.isArray(after) && after.includes(other.call_id)
}

function isAnswered(call: CallState): boolean {
  if (call.cancel) return true
  if (call.approval && !call.approval.decision) return call.approval.answer !== undefined
  return call.client?.answer !== undefined
}

/** The subagent of a call; undefined without one or after it has finished. */
function workerOf(state: AgentState, call: CallState, agents: Agents): SubagentState | undefined {
  const owner = (state as Partial<SubagentState>).agent_run_id
  return Object.values(agents).find(
    agent =>
      agent.parent_call_id === call.call_id &&
      agent.parent_agent_run_id === owner &&
      !agent.finished &&
      !agent.spec.background,
  )
}

interface SubagentStep {
  /** Blocked until an external answer arrives. */
  readonly waits: boolean
  readonly resolved: readonly string[]
  readonly remaining: readonly string[]
}

function nestedOf(state: AgentState, call: CallState, agents: Agents): SubagentStep | undefined {
  const worker = call.cancel || isWaiting(call) ? undefined : workerOf(state, call, agents)
  if (!worker) return undefined
  if (worker.phase !== 'paused') return { waits: false, resolved: [], remaining: [call.call_id] }
  const step = next(worker, agents)
  if (step.do === 'resume') return { waits: false, resolved: step.resolved, remaining: step.remaining }
  const pending = pendingOf(state, call, agents)
  return { waits: true, resolved: [], remaining: pending.map(item => item.call_id) }
}

/** Items that the call, or its subagent, waits for. */
function pendingOf(state: AgentState, call: CallState, agents: Agents): readonly PendingItem[] {
  if (isWaiting(call)) return [toPending(call)]
  const worker = workerOf(state, call, agents)
  if (!worker) return []
  return worker.calls
    .filter(one => !one.outcome)
    .flatMap(one => pendingOf(worker, one, agents))
    .map(item => ({ agent_run_id: worker.agent_run_id, ...item }))
}

function pauseReason(pending: readonly PendingItem[]): PauseReason {
  if (pending.some(item => item.kind === 'client_tool')) return 'client_tool_execution'
  if (pending.some(item => item.kind === 'question')) return 'user_input_required'
  return 'tool_approval_required'
}

/** An open call as the outside sees it. */
export function toPending(call: CallState): PendingItem {
  const asking = call.approval && !call.approval.decision ? call.approval : undefined
  return {
    kind: asking ? (asking.kind === 'question' ? 'question' : 'approval') : 'client_tool',
    id: asking ? asking.approval_id : call.call_id,
    call_id: call.call_id,
    name: call.name,
    input_text: call.input_text,
    ...(asking?.message === undefined ? {} : { message: asking.message }),
    ...(asking?.schema === undefined ? {} : { schema: asking.schema }),
    ...(asking?.url === undefined ? {} : { url: asking.url }),
  }
}

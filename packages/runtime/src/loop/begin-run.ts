/** Starts runs: from a queued message, or by resuming a pause. */
import {
  type AgentState,
  capLimits,
  chooseEffort,
  type Effort,
  type EventOf,
  hasBranch,
  isAllowedModel,
  type ModelChoice,
  type QueuedMessage,
  type RunLimits,
  runLimits,
  type SessionEvent,
  type SessionState,
} from '@toolwire/core'
import type { Stamp } from './agent-port.ts'

export interface RunDefaults {
  /** Names of the server's tools, for the session's opening event. */
  readonly toolNames: readonly string[]
  readonly provider: string
  readonly max_turns: number
  /** The server's limits for every run: a request may ask for less, and for other fallback models. */
  readonly limits?: Omit<RunLimits, 'max_turns'>
  /** For runs whose message and session ask for none. */
  readonly effort?: Effort | undefined
  /** Without it a run has the model that it names. */
  readonly choose?: ((id: string) => ModelChoice) | undefined
  readonly newUuid: () => string
}

export function startRun(
  state: SessionState,
  input: QueuedMessage,
  stamp: Stamp,
  defaults: RunDefaults,
): readonly SessionEvent[] {
  const { event } = input
  const run_id = event.run_id ?? defaults.newUuid()
  const asked = event.model ?? state.model
  const { model, fallback_models } = defaults.choose?.(asked) ?? { model: asked }
  const chosen = fallback_models === undefined ? {} : { fallback_models }
  const at = { ...stamp, run_id }
  const effort = chooseEffort({
    message: event.effort,
    session: state.effort,
    server: defaults.effort,
    protocol: event.via?.protocol,
  })
  return [
    ...openBranch(state, event, stamp),
    {
      type: 'run.started',
      ...at,
      conversation_id: run_id,
      trigger: event.branch?.reason === 'regenerate' ? 'regenerate' : 'message',
      via: event.via,
      client_tools: event.client_tools ?? [],
      model,
      ...limitsOf(event, state, { max_turns: defaults.max_turns, ...defaults.limits, ...chosen, effort }),
      ...allowedModels(event, [asked, model, ...(fallback_models ?? [])]),
      options: event.options,
    },
    bind(state, at, model, defaults),
    // Last: what greets the client comes first.
    ...(input.waited
      ? [{ type: 'input.delivered', ...at, message_id: event.message_id, turn: state.turns } as const]
      : []),
  ]
}

/** An alias that is allowed allows its members. */
function allowedModels(
  { allowed_models: all }: EventOf<'input.message'>,
  [asked = '', ...members]: readonly string[],
): { readonly allowed_models?: string[] } {
  if (!all) return {}
  return { allowed_models: isAllowedModel(all, asked) ? [...new Set([...all, ...members])] : [...all] }
}

/** The branch of a message; nothing if it is open already, as after a crash. */
function openBranch(
  { branches }: SessionState,
  { branch }: EventOf<'input.message'>,
  { ts }: Stamp,
): readonly SessionEvent[] {
  if (!branch || hasBranch(branches, branch.branch_id)) return []
  const { note: _, ...opened } = branch
  return [{ type: 'branch.opened', ts, ...opened }]
}

/** Of the message, within those of the session's agent, within those of the server. */
function limitsOf(
  asked: EventOf<'input.message'>,
  { created }: SessionState,
  server: Parameters<typeof capLimits>[1],
): ReturnType<typeof capLimits> {
  const { limits = {}, fallback_models } = created?.agent?.resolved ?? {}
  const own = capLimits({ ...limits, fallback_models }, server)
  const all = capLimits(asked, own)
  const turns = [all.max_turns, limits.max_turns].filter(most => most !== undefined)
  return turns.length === 0 ? all : { ...all, max_turns: Math.min(...turns) }
}

/** A resumed run is a new run of the same conversation; it processes the answers so far. */
export function resumeRun(
  state: SessionState,
  answered: { readonly resolved: readonly string[]; readonly remaining: readonly string[] },
  stamp: Stamp,
  defaults: RunDefaults,
): readonly SessionEvent[] {
  const { run } = state
  if (!run) return []
  const source = answerOf([state, ...Object.values(state.agents)], answered.resolved)
  // Answers of one request may be processed in two steps; a run id is never used twice.
  const fresh = source?.run_id !== undefined && source.run_id !== run.run_id
  const at = { ...stamp, run_id: fresh ? source.run_id : defaults.newUuid() }
  return [
    {
      type: 'run.started',
      ...at,
      conversation_id: run.conversation_id,
      trigger: trigger(state, source),
      resumes_run_id: run.run_id,
      via: source?.via ?? run.via,
      client_tools: [...run.client_tools],
      model: run.model,
      ...runLimits(run),
      options: changeOptions(run.options, [state, ...Object.values(state.agents)], answered.resolved),
    },
    bind(state, at, run.model, defaults),
    {
      type: 'run.resumed',
      ...at,
      resumed_run_id: run.run_id,
      resolved: [...answered.resolved],
      remaining: [...answered.remaining],
    },
  ]
}

/** A subagent continues within the session's resumed run. */
export function resumeAgent(
  state: AgentState,
  answered: { readonly resolved: readonly string[]; readonly remaining: readonly string[] },
  stamp: Stamp,
): readonly SessionEvent[] {
  const { run } = state
  if (!run) return []
  const { conversation_id, model, options, via } = run
  return [
    {
      type: 'run.started',
      ...stamp,
      conversation_id,
      trigger: trigger(state, answerOf([state], answered.resolved)),
      resumes_run_id: run.run_id,
      via,
      client_tools: [...run.client_tools],
      model,
      ...runLimits(run),
      options,
    },
    {
      type: 'run.resumed',
      ...stamp,
      resumed_run_id: run.run_id,
      resolved: [...answered.resolved],
      remaining: [...answered.remaining],
    },
  ]
}

type ApprovalAnswer = Pick<EventOf<'input.approval'>, 'run_id' | 'via' | 'by'> & { readonly type: string }

/** The input that woke the pause; its request follows the run that this starts. */
function answerOf(agents: readonly AgentState[], resolved: readonly string[]): ApprovalAnswer | undefined {
  for (const call of agents.flatMap(agent => agent.calls)) {
    if (!resolved.includes(call.call_id)) continue
    const answer = call.approval?.answer ?? call.client?.answer
    if (answer) return answer
  }
  const cancel = agents.find(agent => agent.cancel)?.cancel
  return cancel && { type: cancel.type, run_id: cancel.run_id }
}

/** The settings of the run, with those that the request with its answers brought. */
function changeOptions(
  options: EventOf<'run.started'>['options'],
  agents: readonly AgentState[],
  resolved: readonly string[],
): EventOf<'run.started'>['options'] {
  const calls = agents.flatMap(agent => agent.calls).filter(call => resolved.includes(call.call_id))
  const brought = calls.find(call => call.client?.answer?.options)?.client?.answer?.options
  return brought ? { ...options, ...brought } : options
}

function trigger(state: AgentState, source: ApprovalAnswer | undefined): EventOf<'run.started'>['trigger'] {
  if (source?.by === 'system') return 'expiry'
  if (source?.type === 'input.tool_output') return 'tool_outputs'
  if (source?.type === 'input.approval') return 'approvals'
  return state.cancel || state.queue.length > 0 ? 'cancel' : 'retry'
}

function bind(
  state: SessionState,
  at: Stamp,
  model: string,
  defaults: RunDefaults,
): EventOf<'session.bound'> {
  return {
    type: 'session.bound',
    ...at,
    provider: defaults.provider,
    provider_session_id: state.provider_session_id ?? defaults.newUuid(),
    cwd: state.created?.cwd ?? '',
    model,
    tools: [...defaults.toolNames],
    permission_mode: state.permission_mode,
  }
}

/** The points of the loop at which hooks are asked, and reports to them. Sessions without hooks pay nothing. */
import type {
  AgentState,
  CallState,
  EventOf,
  HookEffect,
  HookQuestion,
  HookReport,
  HookWork,
  LifecycleHooks,
  QueuedMessage,
  SessionEvent,
  SessionState,
  SubagentState,
  ToolScope,
  ToolSystem,
} from '@toolwire/core'
import type { AgentPort } from './agent-port.ts'
import { exhaustion, refusal } from './budget.ts'
import { isOverdue } from './deadline.ts'
import { failRun, lastText } from './end-run.ts'
import { contentText } from './summarise.ts'

/** Hooks may send one run on so many times. */
const MAX_TIMES = 3

interface LifecycleDeps {
  readonly tools: Pick<ToolSystem, 'hooks'>
  readonly now: () => Date
}

type HookedTools = Pick<LifecycleDeps, 'tools'>

/** Asks what is to be asked before a request. False if the request is not to be sent: the run has ended, or will. */
export async function askBeforeRequest(
  port: AgentPort,
  { tools: { hooks }, now }: LifecycleDeps,
  work: HookWork,
): Promise<boolean> {
  if (!hooks) return true
  for (const question of questionsOf(port)) {
    if (!hooks.watches(question.event)) continue
    const effect = await hooks.ask(question, work)
    if (isStopped(port, work)) return false
    if (question.event === 'message' && effect.decision === 'block') {
      await port.commit(...failRun(port.state(), port.stamp(), now(), blocked(effect)))
      return false
    }
  }
  return true
}

const isStopped = (port: AgentPort, { voice }: HookWork): boolean =>
  voice.signal.aborted || port.state().cancel !== undefined

const blocked = ({ reason }: HookEffect) =>
  refusal('message_blocked', reason ?? 'A hook of the server blocked the message.')

function questionsOf(port: AgentPort): readonly HookQuestion[] {
  const state = port.state()
  return [...startOf(port, state), ...messageOf(port), ...callsOf(state)]
}

function startOf({ agent_run_id }: AgentPort, state: AgentState): readonly HookQuestion[] {
  if (state.turns > 0) return []
  if (agent_run_id === undefined) return [{ event: 'session_start', model: state.run?.model ?? '' }]
  const { name, spec } = state as SubagentState
  return [{ event: 'agent_start', agent_name: name, prompt: spec.prompt }]
}

/** The message that the run answers, before its first request. */
function messageOf({ agent_run_id, journal: { state } }: AgentPort): readonly HookQuestion[] {
  if (agent_run_id !== undefined || state.run?.num_turns !== 0) return []
  const newest = state.messages.findLast(message => message.role !== 'system')
  if (newest?.role !== 'user') return []
  return [{ event: 'message', message_id: messageId(state), text: contentText(newest.content) }]
}

const messageId = ({ exchanges, run }: SessionState): string =>
  exchanges?.at(-1)?.message_id ?? run?.conversation_id ?? ''

function callsOf({ calls }: AgentState): readonly HookQuestion[] {
  const ended = calls.filter(call => call.outcome && call.executor !== 'provider')
  if (ended.length === 0) return []
  return [...ended.flatMap(denialOf), { event: 'after_tool_batch', calls: ended.map(toEnded) }]
}

function denialOf({ call_id, name, input_text, outcome }: CallState): readonly HookQuestion[] {
  const { failure } = outcome ?? {}
  if (failure?.layer !== 'permission') return []
  return [{ event: 'permission_denied', call_id, tool: name, input_text, reason: failure.message }]
}

const toEnded = ({ call_id, name, outcome }: CallState) => ({
  call_id,
  tool: name,
  is_error: outcome?.is_error === true,
})

/** The events that bring these messages to the model, without those that a hook blocks. Empty when stopped meanwhile. */
export async function admitSteering(
  inputs: readonly QueuedMessage[],
  port: AgentPort,
  { tools: { hooks } }: LifecycleDeps,
  work: HookWork,
): Promise<readonly SessionEvent[]> {
  const events: SessionEvent[] = []
  const asks = hooks?.watches('message') ? hooks : undefined
  for (const { event } of inputs) {
    const { message_id, content } = event
    const effect = await asks?.ask({ event: 'message', message_id, text: contentText(content) }, work)
    if (asks && isStopped(port, work)) return []
    const { run_id = '', ...stamp } = port.stamp()
    if (effect?.decision === 'block') {
      const reason = effect.reason === undefined ? {} : { reason: effect.reason }
      events.push({ type: 'input.withdrawn', ...stamp, message_id, by: 'hook', ...reason })
    } else events.push({ type: 'input.delivered', ...stamp, run_id, message_id, turn: port.state().turns })
  }
  return events
}

/** True if hooks are asked before a run of this agent ends well. */
export const watchesStop = ({ agent_run_id }: AgentPort, { tools: { hooks } }: HookedTools): boolean =>
  hooks?.watches(agent_run_id === undefined ? 'before_stop' : 'agent_stop') ?? false

/** False if a hook sends the run on, or stops it otherwise. */
export async function mayStop(port: AgentPort, deps: LifecycleDeps, work: HookWork): Promise<boolean> {
  const { hooks } = deps.tools
  if (!hooks || !watchesStop(port, deps)) return true
  const state = port.state()
  const name = port.agent_run_id === undefined ? 'before_stop' : 'agent_stop'
  const times = (state.run?.hooks ?? []).filter(
    one => one.event === name && one.effect.decision === 'continue',
  ).length
  if (times >= MAX_TIMES || exhaustion(state, port.journal.state.run)) return true
  const asked = { result_text: lastText(state), times }
  const effect = await hooks.ask(
    name === 'before_stop'
      ? { event: name, ...asked }
      : { event: name, ...asked, agent_name: (state as SubagentState).name },
    work,
  )
  if (port.state().cancel) return false
  // A run whose time is up ends as it is. A server that stops leaves it to the next owner.
  const { signal } = work.voice
  return signal.aborted ? isOverdue(signal) : effect.decision !== 'continue'
}

/** Asks before a compaction. Undefined if the work is stopped. */
export async function askBeforeCompaction(
  port: AgentPort,
  { tools: { hooks } }: HookedTools,
  work: HookWork,
): Promise<HookEffect | undefined> {
  if (!hooks?.watches('before_compact')) return {}
  const effect = await hooks.ask({ event: 'before_compact', messages: port.state().messages.length }, work)
  return isStopped(port, work) ? undefined : effect
}

/** The port with reports to hooks of what it has committed. `stop` ends hooks that still run. */
export function withReports(
  port: AgentPort,
  hooks: LifecycleHooks | undefined,
  stop: AbortSignal,
): AgentPort {
  if (!hooks) return port
  const scope: ToolScope = {
    session_id: port.journal.session,
    session: () => port.journal.state,
    agent: port.state,
    ...(port.agent_run_id === undefined ? {} : { agent_run_id: port.agent_run_id }),
  }
  return {
    ...port,
    async commit(...events) {
      await port.commit(...events)
      for (const report of events.flatMap(toReports))
        if (hooks.watches(report.event)) hooks.report(report, scope, stop)
    },
  }
}

function toReports(ev: SessionEvent): readonly HookReport[] {
  switch (ev.type) {
    case 'history.compacted':
      return [{ event: 'after_compact', replaced: ev.replaced }]
    case 'context.set':
      return [toLoaded(ev)]
    case 'run.paused':
      return isRoot(ev) ? [{ event: 'notification', reason: ev.reason, pending: ev.pending }] : []
    case 'run.completed':
      return isRoot(ev) ? [{ event: 'run_end', status: 'completed', result_text: ev.result_text }] : []
    case 'run.failed':
      return isRoot(ev) ? [{ event: 'run_end', status: 'failed', reason: ev.error.message }] : []
    case 'run.cancelled':
      return isRoot(ev) ? [{ event: 'run_end', status: 'cancelled', reason: ev.reason }] : []
    default:
      return []
  }
}

const isRoot = ({ agent_run_id }: SessionEvent): boolean => agent_run_id === undefined

const toLoaded = ({ generation, parts, skipped }: EventOf<'context.set'>): HookReport => ({
  event: 'context_loaded',
  generation,
  parts: parts.map(({ key, source, sha256 }) => ({ key, source, sha256 })),
  skipped: skipped ?? [],
})

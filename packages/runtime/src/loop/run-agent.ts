/**
 * A subagent in its parent's log: started by a call, driven by the same loop, finished once. Its id derives from
 * the call, so running the call again after a pause or a crash continues it.
 */
import {
  type AgentEnd,
  type AgentSpec,
  type EventOf,
  type Failure,
  NO_USAGE,
  quoteInline,
  type RunState,
  type SessionEvent,
  type SubagentState,
  sumUsage,
} from '@toolwire/core'
import type { AgentPort } from './agent-port.ts'
import { closeAgent } from './end-run.ts'

/** Services that a subagent needs from its parent. */
export interface SubagentHost {
  readonly parent: AgentPort
  readonly open: (agent_run_id: string) => AgentPort
  /** Resolves when the subagent waits or is idle, or when `signal` is aborted. */
  readonly drive: (port: AgentPort) => Promise<void>
  /** Has it driven beside its parent from now on. */
  readonly detach: () => void
  readonly now: () => Date
  readonly signal: AbortSignal
}

/** Rejects only when the log cannot be written. */
export async function runAgent(call_id: string, spec: AgentSpec, nest: SubagentHost): Promise<AgentEnd> {
  const { parent, signal } = nest
  const id = toAgentRunId(parent.agent_run_id, spec.part === undefined ? call_id : `${call_id}~${spec.part}`)
  const port = nest.open(id)
  const agent = (): SubagentState | undefined => parent.journal.state.agents[id]
  const refused = agent() ? undefined : refuse(spec, parent)
  if (refused) return refused
  const { startingAgents } = parent.journal
  if (!agent()) startingAgents.add(id)
  await port.commit(...begin(agent(), port, parent, { ...spec, call_id }))
  startingAgents.delete(id)
  if (spec.background) {
    nest.detach()
    return { type: 'launched', agent_run_id: id }
  }
  if (!agent()?.ended) await nest.drive(port)
  const reached = agent()
  if (reached?.ended) {
    if (!reached.finished) await port.commit(toFinished(reached, port))
    return toEnd(reached, reached.ended)
  }
  if (!signal.aborted) return { type: 'suspended' }
  await closeIfCancelled(reached, call_id, nest)
  return { type: 'aborted' }
}

/** The reason that it may not be started; undefined if it may. */
function refuse(spec: AgentSpec, { journal }: AgentPort): Extract<AgentEnd, { type: 'refused' }> | undefined {
  const { run, agents, past_agents } = journal.state
  const { max_agents, resumes } = spec
  if (max_agents !== undefined && (run?.agents ?? 0) + journal.startingAgents.size >= max_agents)
    return {
      type: 'refused',
      code: 'agent_limit',
      message: `No agent was started: this run has started its ${max_agents} agents. Do the rest without one.`,
    }
  if (resumes === undefined || past_agents?.[resumes]) return undefined
  const message = agents[resumes]
    ? `The agent ${resumes} is still running; wait for its report.`
    : `No agent with the id ${JSON.stringify(resumes)} can be resumed. Start a new one.`
  return { type: 'refused', code: 'unknown_agent', message }
}

/** Unique in the session, because call ids are unique within an agent. */
const toAgentRunId = (parent: string | undefined, call_id: string): string =>
  parent === undefined ? `agent_${call_id}` : `${parent}.${call_id}`

/** The events that are still missing before it can be driven. */
function begin(
  agent: SubagentState | undefined,
  port: AgentPort,
  parent: AgentPort,
  spec: AgentSpec & { readonly call_id: string },
): readonly SessionEvent[] {
  const stamp = { ...port.stamp(), agent_run_id: port.agent_run_id ?? '' }
  const { run } = parent.state()
  const before = spec.resumes === undefined ? undefined : parent.journal.state.past_agents?.[spec.resumes]
  const rights = rightsOf(run)
  const events: SessionEvent[] = []
  if (!agent)
    events.push({
      type: 'agent.started',
      ...stamp,
      name: spec.name,
      ...kindOf(before?.spec, spec),
      parent_call_id: spec.call_id,
      parent_agent_run_id: parent.agent_run_id,
      prompt: spec.prompt,
      model: spec.model,
      ...rights,
      background: spec.background || undefined,
      cwd: spec.cwd ?? before?.spec.cwd,
      resumes: spec.resumes,
    })
  if (!agent?.run && !agent?.ended)
    events.push({
      type: 'run.started',
      ...stamp,
      conversation_id: stamp.agent_run_id,
      trigger: 'message',
      via: run?.via,
      client_tools: spec.client_tools ? [...(run?.client_tools ?? [])] : [],
      model: spec.model ?? run?.model ?? '',
      max_turns: spec.max_turns,
      max_cost_usd: spec.max_cost_usd,
      ...rights,
      effort: run?.effort,
      options: optionsFor(run?.options, spec),
    })
  return events
}

/** Models that the run may ask are those that its agents may ask. */
const rightsOf = (run: RunState | undefined): { readonly allowed_models?: string[] } =>
  run?.allowed_models ? { allowed_models: [...run.allowed_models] } : {}

/** A resumed agent keeps its type, whatever the call says. */
function kindOf(before: EventOf<'agent.started'> | undefined, spec: AgentSpec) {
  const type = before ?? { agent_type: spec.type, agent: spec.version }
  return {
    agent_type: type.agent_type,
    agent: type.agent && { ...type.agent },
    tools: (before?.tools ?? spec.tools)?.slice(),
    system: before?.system ?? spec.system,
  }
}

type Options = Readonly<Record<string, unknown>>

/**
 * A request that forces a tool forces it once, on the agent it was sent to. Its own effort replaces the parent's.
 */
function optionsFor(
  options: Options = {},
  { effort, max_tokens }: Pick<AgentSpec, 'effort' | 'max_tokens'>,
): Record<string, unknown> | undefined {
  const { tool_choice: _, ...rest } = options
  const { thinking: _thinking, effort: _effort, ...others } = rest
  const chosen = {
    ...(effort === undefined ? rest : { ...others, reasoning_effort: effort }),
    ...(max_tokens === undefined ? {} : { max_tokens }),
  }
  return Object.keys(chosen).length > 0 ? chosen : undefined
}

type RunEnd = NonNullable<SubagentState['ended']>

/** The end of its run, as the end of the agent. */
export function toFinished({ ended }: SubagentState, port: AgentPort): EventOf<'agent.finished'> {
  const stamp = { ...port.stamp(), agent_run_id: port.agent_run_id ?? '' }
  const error = ended && errorOf(ended)
  if (error) return { type: 'agent.finished', ...stamp, outcome: 'error', error }
  const result = ended?.type === 'run.completed' ? ended.result_text : ''
  return { type: 'agent.finished', ...stamp, outcome: 'success', result }
}

function errorOf(ended: RunEnd): Failure | undefined {
  switch (ended.type) {
    case 'run.completed':
      return undefined
    case 'run.failed':
      return ended.error
    case 'run.cancelled':
      return { code: 'interrupted', message: ended.reason, retryable: true }
  }
}

function toEnd(agent: SubagentState, ended: RunEnd): AgentEnd {
  const error = errorOf(ended)
  const calls = agent.messages.flatMap(m => (m.role === 'tool' ? m.results : []))
  return {
    type: 'finished',
    agent_run_id: agent.agent_run_id,
    text: ended.type === 'run.completed' ? ended.result_text : latestText(agent),
    stop_reason: ended.type === 'run.completed' ? ended.finish : (error?.message ?? ''),
    ...(error === undefined ? {} : { error }),
    usage: ended.usage_by_model.map(row => row.usage).reduce(sumUsage, NO_USAGE),
    ...(ended.cost_usd === undefined ? {} : { cost_usd: ended.cost_usd }),
    num_turns: ended.num_turns,
    num_calls: calls.length,
    calls_by_tool: countBy(calls.map(call => call.name)),
    duration_ms: ended.duration_ms,
  }
}

function countBy(names: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

/** The end of an agent in the background: what the server says of it, and the report in the agent's own words. */
export interface AgentNotice {
  readonly fact: string
  /** May be empty. */
  readonly report: string
}

export function describeEnd(agent: SubagentState): AgentNotice {
  const { name, agent_run_id, ended } = agent
  const error = ended && errorOf(ended)
  const text = ended?.type === 'run.completed' ? ended.result_text : latestText(agent)
  const fact = [
    `The agent ${quoteInline(name)} (${agent_run_id}), which worked in the background, has ${error ? 'stopped' : 'finished'}.`,
    ...(error ? [`It stopped early: ${quoteInline(error.message, 500)}`] : []),
    ...(agent.spec.cwd === undefined ? [] : [`It worked in ${agent.spec.cwd}.`]),
    text === '' ? 'It ended without a final message.' : 'Its report follows as data.',
  ].join('\n')
  return { fact, report: text }
}

/** Its last text before it was interrupted. */
export function latestText(agent: SubagentState): string {
  const texts = agent.messages.map(message =>
    message.role === 'assistant'
      ? message.content.map(part => (part.type === 'text' ? part.text : '')).join('')
      : '',
  )
  return texts.findLast(text => text !== '') ?? ''
}

/** A cancel above it ends it for good; a server that stops leaves it to the next owner. */
async function closeIfCancelled(
  agent: SubagentState | undefined,
  call_id: string,
  nest: SubagentHost,
): Promise<void> {
  const { journal } = nest.parent
  const { cancel: above, calls } = nest.parent.state()
  const cancel = journal.state.cancel ?? above ?? calls.find(call => call.call_id === call_id)?.cancel
  if (!agent || !cancel) return
  const closing = { stamp: nest.parent.stamp(), now: nest.now(), reason: cancel.reason }
  await nest.parent.commit(...closeAgent(journal.state, agent, closing))
}

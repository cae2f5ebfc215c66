/**
 * One provider turn: asks the model, records every step of its answer, and leaves
 * the turn closed: completed, or aborted together with the run's failure.
 */
import {
  type AgentState,
  AppError,
  type CallState,
  ERRORS,
  type EventOf,
  type Failure,
  flushCalls,
  type Model,
  type ModelFinder,
  type ModelPart,
  type ModelRequest,
} from '@toolwire/core'
import type { ToolScope, ToolSystem, ToolVoice } from '../tools/tool-system.ts'
import type { AgentPort } from './agent-port.ts'
import { failRun } from './end-run.ts'
import { createMessageReader } from './read-message.ts'
import { createBlockSequencer } from './sequence-blocks.ts'

export interface CallModelDeps {
  readonly models: ModelFinder
  readonly tools: ToolSystem
  readonly now: () => Date
  readonly newId: (prefix: string) => string
}

export async function callModel(
  port: AgentPort,
  deps: CallModelDeps,
  scope: ToolScope,
  voice: ToolVoice,
): Promise<void> {
  const model = findModel(port, deps)
  if (!('stream' in model)) return await fail(port, deps, model)
  const request = toRequest(port, deps, scope, model)
  const { turns, run } = port.state()
  const stamp = () => ({ ...port.stamp(), turn: turns })
  void port.emit({
    type: 'turn.started',
    ...stamp(),
    turn: turns,
    provider: model.provider,
    model: run?.model ?? model.id,
    attempt: 1,
  })
  const message_id = deps.newId('msg_')
  const read = createMessageReader({
    message_id,
    stamp: stamp as () => ReturnType<typeof stamp> & { run_id: string },
    firstIndex: run?.blocks ?? 0,
    describeTool: name => deps.tools.describe(name, scope),
    callIds: usedCallIds(port),
    newCallId: () => deps.newId('toolu_'),
  })
  const end = await pump(model.stream(request, voice.signal), read, { port, deps, scope, voice })
  // Which calls began before the end must be known from the log: after an output limit no other may run.
  await deps.tools.eagerDecided?.(scope)
  // Also when cancelled: what closes the run is computed from the state, which must hold everything said so far.
  await port.commit()
  if (voice.signal.aborted) return
  if (end.type === 'error') return await broken(port, deps, message_id, end.error)
  await port.commit(completed(message_id, stamp(), end, port.state().calls))
}

/** Every id that a call of the session may be known by. */
function usedCallIds({ journal, state }: AgentPort): Set<string> {
  const { callIds } = journal
  for (const agent of [state(), journal.state, ...Object.values(journal.state.agents)])
    for (const id of callIdsOf(agent)) callIds.add(id)
  return callIds
}

function callIdsOf(state: AgentState): readonly string[] {
  const inHistory = state.messages.flatMap(message =>
    message.role === 'assistant'
      ? message.content.flatMap(part => (part.type === 'tool_use' ? [part.call_id] : []))
      : [],
  )
  return [...inHistory, ...state.aborted_calls]
}

type End = Extract<ModelPart, { type: 'end' | 'error' }>
interface Pump {
  readonly port: AgentPort
  readonly deps: CallModelDeps
  readonly scope: ToolScope
  readonly voice: ToolVoice
}

/** Records parts until the model ends. A stream that just stops counts as broken. */
async function pump(
  parts: AsyncIterable<ModelPart>,
  read: (part: ModelPart) => ReturnType<ReturnType<typeof createMessageReader>>,
  context: Pump,
): Promise<End> {
  const sequence = createBlockSequencer()
  for await (const part of parts) {
    if (part.type === 'error') return part
    const ready = part.type === 'end' ? sequence.flush() : sequence.push(part)
    for (const one of ready) {
      const slow = context.port.emit(...read(one))
      if (slow) await slow
      if (one.type === 'block-end') await announceCall(context)
    }
    if (part.type === 'end') return part
  }
  return {
    type: 'error',
    error: failure('model_unavailable', 'The model stopped without ending its answer.'),
  }
}

/** When the block that just ended is a call: check its arguments now, and start it early where that is safe. */
async function announceCall({ port, deps, scope, voice }: Pump): Promise<void> {
  await port.commit()
  const call = port.state().calls.at(-1)
  if (!call || call.ready || call.outcome) return
  const open = port.state().turn?.parts.at(-1)
  if (open?.block_id !== call.block_id) return
  const ready = await deps.tools.ready(call, scope, voice)
  if (ready.length === 0) return
  await port.commit(...ready)
  const announced = port.state().calls.find(c => c.call_id === call.call_id)
  if (announced) deps.tools.startEager?.(announced, scope, voice)
}

function completed(
  message_id: string,
  stamp: { readonly ts: string },
  end: Extract<ModelPart, { type: 'end' }>,
  calls: readonly CallState[],
): EventOf<'turn.completed'> {
  return {
    type: 'turn.completed',
    ...stamp,
    message_id,
    stop_reason: end.stop_reason,
    finish: end.finish,
    stop_details: end.stop_details,
    usage: end.usage,
    cost_usd: end.cost_usd,
    request_id: end.request_id,
    has_next: calls.some(call => call.executor !== 'provider') || end.finish === 'pause',
  }
}

/** A message that broke off after a complete call keeps it and goes on; any other is marked and the run fails. */
async function broken(
  port: AgentPort,
  deps: CallModelDeps,
  message_id: string,
  error: Failure,
): Promise<void> {
  const state = port.state()
  if (error.retryable && state.calls.some(call => call.ready)) {
    const usage = { input: 0, output: 0, cache_read: 0, cache_write: 0, reasoning: 0 }
    const end = {
      type: 'end',
      stop_reason: 'stream_broken',
      finish: 'tool_calls',
      usage,
      stop_details: error,
    } as const
    return await port.commit(completed(message_id, port.stamp(), end, state.calls))
  }
  await fail(port, deps, error)
}

async function fail(port: AgentPort, deps: CallModelDeps, error: Failure): Promise<void> {
  await port.commit()
  await port.commit(...failRun(port.state(), port.stamp(), deps.now(), error))
}

function findModel(port: AgentPort, deps: CallModelDeps): Model | Failure {
  try {
    return deps.models(port.state().run?.model ?? '')
  } catch (error) {
    if (!AppError.is(error)) throw error
    return {
      code: error.code,
      message: error.message,
      retryable: ERRORS[error.code].retryable,
      details: error.details,
    }
  }
}

function toRequest(port: AgentPort, deps: CallModelDeps, scope: ToolScope, model: Model): ModelRequest {
  const state = port.state()
  const { run } = state
  const options = run?.options ?? {}
  return {
    model: model.id,
    system: systemOf(scope),
    messages: flushCalls(state),
    tools: deps.tools.specs(scope),
    ...pickRequest(options),
    options,
  }
}

function systemOf({ agent_run_id, session }: ToolScope): string | undefined {
  const { created, agents } = session()
  return agent_run_id === undefined ? created?.system : agents[agent_run_id]?.spec.system
}

/** Request settings that every provider understands travel as fields; the rest stays in `options`. */
function pickRequest(
  options: Readonly<Record<string, unknown>>,
): Pick<ModelRequest, 'tool_choice' | 'parallel_tool_calls' | 'max_tokens'> {
  const { tool_choice, parallel_tool_calls, max_tokens } = options as Partial<ModelRequest>
  return { tool_choice, parallel_tool_calls, max_tokens }
}

export function failure(code: keyof typeof ERRORS, message: string): Failure {
  return { code, message, retryable: ERRORS[code].retryable }
}

/**
 * One provider turn: asks the model, records every step of its answer, and leaves
 * the turn closed: completed, or aborted together with the run's failure.
 */
import {
  AppError,
  boundaryOf,
  type CallState,
  ERRORS,
  type EventOf,
  type Failure,
  type Model,
  type ModelFinder,
  type ModelPart,
  type ModelRequest,
  NO_USAGE,
  reasonOf,
  type SessionEvent,
  type ToolHost,
  type ToolScope,
  type ToolSystem,
  untilAborted,
} from '@toolwire/core'
import { systemOf } from '../system-text.ts'
import type { AgentPort } from './agent-port.ts'
import type { MediaBudget } from './bound-media.ts'
import {
  budgetWarnings,
  exhaustion,
  modelRefusal,
  payerRefusal,
  type RunRefusal,
  refusal,
  type UnpricedRule,
  unpricedRefusal,
} from './budget.ts'
import { coalesceInput } from './coalesce-input.ts'
import { compact, compactionWarnings, isFull, mayCompact } from './compact.ts'
import { abortReason, closeTurn, completeRun, failRun } from './end-run.ts'
import {
  candidatesOf,
  type FailedAttempt,
  lastFailure,
  mayFallBack,
  passedOver,
  toWarnings,
} from './fallback.ts'
import { TurnExitError } from './leave-turn.ts'
import { askBeforeCompaction, watchesStop } from './lifecycle.ts'
import { createMessageLimit } from './message-limit.ts'
import { createMessageReader } from './read-message.ts'
import { type FileReader, requestMessages } from './request-messages.ts'
import { type Ending, type Retry, usageOf } from './request-usage.ts'
import { createBlockSequencer } from './sequence-blocks.ts'
import { untilIgnored } from './until-ignored.ts'
import { usedCallIds } from './used-call-ids.ts'

export interface CallModelDeps {
  readonly models: ModelFinder
  /** Limits on images and documents of one request. */
  readonly media?: MediaBudget
  /** Files that messages name; they are left out without it. */
  readonly files?: FileReader
  /** True if a history that outgrew its model is compacted; otherwise such a run fails. */
  readonly compaction?: boolean
  /** For models without a price in runs with a budget in money; they are allowed when absent. */
  readonly unpriced?: UnpricedRule
  readonly refuse?: RunRefusal
  readonly tools: ToolSystem
  readonly now: () => Date
  readonly newId: (prefix: string) => string
}

/**
 * Calls the run's model, then the next fallback as long as none has produced content and the budget allows it. A
 * history that fits none of them is compacted, and the turn is retried. Resolves with the turn closed, unless the
 * run was stopped before a provider reported usage.
 */
export async function callModel(
  port: AgentPort,
  deps: CallModelDeps,
  scope: ToolScope,
  voice: ToolHost,
): Promise<void> {
  const all = candidatesOf(port.state())
  const failing = all.length > 1 ? all.filter(id => isFailing(id, deps)) : []
  const healthy = all.filter(id => !failing.includes(id))
  const candidates = healthy.length > 0 ? healthy : all
  const tried: FailedAttempt[] = healthy.length > 0 ? passedOver(all, healthy) : []
  const retries = { count: 0 }
  for (const [place, id] of candidates.entries()) {
    const context = { port, deps, scope, voice, retries }
    const end = await askOne(context, id, tried)
    if (end?.type !== 'error') return
    const isMute = port.state().turn?.message_id === undefined && !voice.signal.aborted
    if (!isMute) return await broken(port, deps, end, voice.signal)
    if (place === candidates.length - 1 || !mayFallBack(end.error))
      return await giveUp(context, id, end, tried)
    if (!(await abandon(port, 'fallback', end))) return
    tried.push({ model: id, error: end.error })
  }
}

function isFailing(id: string, deps: CallModelDeps): boolean {
  const model = findModel(id, deps)
  return 'stream' in model && model.isFailing?.() === true
}

/** No model has said anything, and no other is asked: room is made where that helps, or the run fails. */
async function giveUp(
  context: Pump,
  id: string,
  end: Extract<Ending, { type: 'error' }>,
  tried: readonly FailedAttempt[],
): Promise<void> {
  const { error } = end
  if (error.code === 'context_too_long' && (await compactFor(context, id, error))) return
  await broken(context.port, context.deps, { ...end, error: lastFailure(error, tried) }, context.voice.signal)
}

/**
 * Closes an attempt that another one follows, with its usage. False if the budget allows none: the driver ends the
 * run.
 */
async function abandon(
  port: AgentPort,
  reason: 'fallback' | 'retried',
  end: Extract<Ending | Retry, { readonly error: Failure }>,
): Promise<boolean> {
  const { error } = end
  await port.commit(...closeTurn(port.state(), port.stamp(), { reason, error, ...usageOf(end) }))
  return exhaustion(port.state(), port.journal.state.run) === undefined
}

/** Compacts the history and closes the turn; false if nothing can be compacted. */
async function compactFor({ port, deps, scope, voice }: Pump, id: string, error: Failure): Promise<boolean> {
  const model = findModel(id, deps)
  if (!('stream' in model) || !mayCompact(port.state(), deps)) return false
  const hooked = await askBeforeCompaction(port, deps, { scope, voice })
  if (!hooked) return true
  if (hooked.decision === 'block') return false
  return await compact(port, { model, error, add: hooked.context }, voice.signal)
}

/** Asks one model. Undefined when the turn is closed; else how it ended, with the turn still open. */
async function askOne(
  context: Pump,
  id: string,
  tried: readonly FailedAttempt[],
): Promise<Ending | undefined> {
  const { port, deps, scope, voice } = context
  const model = findModel(id, deps)
  if (!('stream' in model)) return { type: 'error', error: model }
  const { run: mine } = port.state()
  const refused =
    modelRefusal(id, mine) ??
    unpricedRefusal(model, port.journal.state.run, deps.unpriced) ??
    (await payerRefusal(id, mine, deps.refuse))
  if (refused) return { type: 'error', error: refused }
  await untilAborted(Promise.resolve(deps.tools.refresh?.()), voice.signal).catch(() => undefined)
  if (voice.signal.aborted) return undefined
  const loaded = await loadMessages(port, deps, scope)
  const request = toRequest(port, deps, { scope, model, messages: loaded.messages })
  const { turns, run } = port.state()
  const stamp = () => ({ ...port.stamp(), turn: turns })
  const begin = (): void =>
    void port.emit({
      type: 'turn.started',
      ...stamp(),
      turn: turns,
      provider: model.provider,
      model: id === '' ? model.id : id,
      attempt: tried.length + context.retries.count + 1,
    })
  begin()
  if (isFull(port.state(), request, model, deps))
    return {
      type: 'error',
      error: refusal('context_too_long', `The history no longer fits into ${model.id}.`),
    }
  const message_id = deps.newId('msg_')
  const read = createMessageReader({
    message_id,
    stamp: stamp as () => ReturnType<typeof stamp> & { run_id: string },
    firstIndex: run?.blocks ?? 0,
    describeTool: name => deps.tools.describe(name, scope),
    callIds: usedCallIds(port),
    newCallId: () => deps.newId('toolu_'),
    warnings: [
      ...toWarnings(tried, id),
      ...budgetWarnings(port.journal.state.run),
      ...compactionWarnings(port.state()),
      ...loaded.warnings,
    ],
  })
  let hasCalls = false
  const readPart: typeof read = part => {
    hasCalls ||= isCallStart(part)
    return read(part)
  }
  const again = async (retry: Retry): Promise<boolean> => {
    context.retries.count += 1
    const mayAsk = (await abandon(port, 'retried', retry)) && !voice.signal.aborted
    if (mayAsk) begin()
    return mayAsk
  }
  const end = await pump(
    () => untilIgnored(model.stream(request, voice.signal), voice.signal),
    { read: readPart, again },
    context,
  )
  if (!end) return undefined
  // The log must show which calls started before the end: after an output limit no other may run.
  await deps.tools.eagerDecided?.(scope)
  // Also when cancelled: what closes the run is computed from the state, which must hold everything said so far.
  // A message of words alone needs nothing of that, and its end shares a commit with its last block.
  const isPlain = end.type === 'end' && !hasCalls && !voice.signal.aborted
  if (!isPlain) await port.commit()
  if (voice.signal.aborted) return await stopped(port, end)
  if (end.type === 'error') return end
  const last = completed(message_id, stamp(), end, isPlain ? [] : port.state().calls)
  await port.commit(last, ...(isPlain ? runEnd(port, deps, last) : []))
  if (end.finish === 'length') await withdrawQuestions(context)
  return undefined
}

/** The end of the run if nothing is left to do after `last`, so that both share a commit. */
function runEnd(port: AgentPort, deps: CallModelDeps, last: SessionEvent): readonly SessionEvent[] {
  if (watchesStop(port, deps)) return []
  const { step, state } = port.predictState(last)
  return step.do === 'end' ? completeRun(state, port.stamp(), deps.now()) : []
}

/** The output limit cut the message: its calls never run, so what was asked about them needs no answer. */
async function withdrawQuestions({ port, deps, scope, voice }: Pump): Promise<void> {
  const asked = port.state().calls.filter(call => call.approval && !call.approval.decision && !call.started)
  if (asked.length > 0) await deps.tools.settle(asked, scope, voice)
}

/** The run was stopped. The next driver closes the message; its usage is known only here. */
async function stopped(port: AgentPort, end: Ending): Promise<undefined> {
  const used = usageOf(end)
  if (used.usage === undefined) return
  const isCancelled = port.state().cancel || port.journal.state.cancel
  const reason = isCancelled ? abortReason(port.journal.state) : 'interrupted'
  await port.commit(...closeTurn(port.state(), port.stamp(), { reason, ...used }))
}

interface Pump {
  readonly port: AgentPort
  readonly deps: CallModelDeps
  readonly scope: ToolScope
  readonly voice: ToolHost
  /** Retries of model attempts in this turn. */
  readonly retries: { count: number }
}

interface TurnReader {
  /** The events of a part. */
  readonly read: ReturnType<typeof createMessageReader>
  /** True if the model may retry its attempt; otherwise the turn is closed. */
  readonly again: (retry: Retry) => Promise<boolean>
}

/** Records parts until the model ends; undefined when it is stopped before another attempt. A stream that just stops counts as broken. */
async function pump(
  ask: () => AsyncIterable<ModelPart>,
  { read, again }: TurnReader,
  context: Pump,
): Promise<Ending | undefined> {
  const coalesced = coalesceInput(context.port.emit)
  const turn: Turn = { isOurs: false, isLeft: false }
  const retry = async (part: Retry): Promise<void> => {
    turn.isLeft = !(await again(part))
  }
  const isCallEnd = followCalls()
  const emit: EmitPart = part => {
    if (part.type === 'retry') return retry(part)
    const slow = coalesced.emit(...read(part))
    return isCallEnd(part) ? announceCall(context, slow) : slow
  }
  try {
    return await record(ask(), emit, turn)
  } catch (error) {
    // An error thrown by a model is its failure; an error of the log is not.
    if (turn.isOurs || error instanceof TurnExitError) throw error
    return unavailable(`The model failed: ${reasonOf(error)}`)
  } finally {
    void coalesced.flush()
  }
}

/** Whose turn it is between two parts: the model's, or ours to record what it said. */
interface Turn {
  isOurs: boolean
  /** The turn is closed, and the model is asked no more. */
  isLeft: boolean
}

type EmitPart = (part: ModelPart) => Promise<void> | undefined

async function record(
  parts: AsyncIterable<ModelPart>,
  emit: EmitPart,
  turn: Turn,
): Promise<Ending | undefined> {
  const sequence = createBlockSequencer()
  const failureOf = createMessageLimit()
  for await (const part of parts) {
    const failure = failureOf(part)
    if (failure) return failure
    turn.isOurs = true
    const ready = part.type === 'end' ? sequence.flush() : sequence.push(part)
    for (const one of ready) {
      const slow = emit(one)
      if (slow) await slow
    }
    if (part.type === 'end') return part
    if (turn.isLeft) return undefined
    turn.isOurs = false
  }
  return unavailable('The model stopped without ending its answer.')
}

const unavailable = (message: string): Ending => ({
  type: 'error',
  error: refusal('model_unavailable', message),
})

const isCallStart = (part: ModelPart): boolean => part.type === 'block-start' && part.tool !== undefined

/** Reports for each part, in order, if a call ends with it. */
function followCalls(): (part: ModelPart) => boolean {
  let isCall = false
  return part => {
    if (part.type === 'block-start') isCall = isCallStart(part)
    return part.type === 'block-end' && isCall
  }
}

/**
 * If the block that just ended is a call, and is `told`: checks its arguments now, and starts it early where that
 * is safe.
 */
async function announceCall(
  { port, deps, scope, voice }: Pump,
  told: Promise<void> | undefined,
): Promise<void> {
  await told
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

/** A message interrupted after a complete call keeps it and continues; any other is marked and the run fails. */
async function broken(
  port: AgentPort,
  deps: CallModelDeps,
  end: Extract<Ending, { type: 'error' }>,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return
  const state = port.state()
  const { error } = end
  const message_id = state.turn?.message_id
  if (message_id !== undefined && error.retryable && state.calls.some(call => call.ready)) {
    const kept = {
      type: 'end',
      stop_reason: 'stream_broken',
      finish: 'tool_calls',
      stop_details: error,
      usage: NO_USAGE,
      ...usageOf(end),
    } as const
    return await port.commit(completed(message_id, port.stamp(), kept, state.calls))
  }
  await port.commit(...closeTurn(state, port.stamp(), { reason: 'failed', error, ...usageOf(end) }))
  await port.commit(...failRun(port.state(), port.stamp(), deps.now(), error))
}

function findModel(id: string, deps: CallModelDeps): Model | Failure {
  try {
    return deps.models(id)
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

const loadMessages = async (port: AgentPort, { media, files }: CallModelDeps, { session_id }: ToolScope) =>
  await requestMessages(port.state(), { session_id, boundary: boundaryOf(port.journal.state), media, files })

interface RequestParts extends Pick<ModelRequest, 'messages'> {
  readonly scope: ToolScope
  readonly model: Model
}

function toRequest(
  port: AgentPort,
  deps: CallModelDeps,
  { scope, model, messages }: RequestParts,
): ModelRequest {
  const state = port.state()
  const { run } = state
  const options = run?.options ?? {}
  const boundary = boundaryOf(port.journal.state)
  return {
    model: model.id,
    system: systemOf(scope.session(), scope.agent_run_id),
    messages,
    boundary,
    tools: deps.tools.specs(scope),
    ...(state.known_tools ? { past_tools: state.known_tools } : {}),
    ...pickRequest(options),
    ...(run?.effort === undefined ? {} : { effort: run.effort }),
    options,
  }
}

/** Request settings that every provider understands travel as fields; the rest stays in `options`. */
function pickRequest(
  options: Readonly<Record<string, unknown>>,
): Pick<ModelRequest, 'tool_choice' | 'parallel_tool_calls' | 'max_tokens'> {
  const { tool_choice, parallel_tool_calls, max_tokens } = options as Partial<ModelRequest>
  return { tool_choice, parallel_tool_calls, max_tokens }
}

/**
 * Advances the calls of one message as far as possible: checks, permission, order, execution. Invariant: every
 * call ends with exactly one terminal event, or waits for an external answer, or is held behind one that waits.
 * Calls run concurrently unless they use the same resource.
 */
import {
  type CallState,
  cutMiddle,
  type EventOf,
  heldNote,
  isWaiting,
  type LifecycleHooks,
  reasonOf,
  type SessionEvent,
  type Tool,
  type ToolHost,
  type ToolScope,
} from '@toolwire/core'
import type { OutputLimits } from '../bound-output.ts'
import type { BeforeResult, Hooks } from '../hooks/hooks.ts'
import { basisOf, type Verdict, type VerdictBasis } from '../permissions/verdict.ts'
import type { Registry } from '../registry.ts'
import { denied, interrupted, precondition, truncated } from '../tool-failure.ts'
import {
  askDuring,
  askFor,
  denialText,
  type Expiry,
  resolveAnswer,
  settledByDecision,
  withAnswer,
} from './approval.ts'
import { type CallWork, type ContextSettings, forSession, openCall } from './call-context.ts'
import { requestClient, settledByClient } from './client-call.ts'
import { afterHooks, applyHookDecision, askHooks } from './hooked-call.ts'
import { askWithHooks, decideByHook } from './hooked-question.ts'
import { bindPath } from './judged-path.ts'
import { recordLate } from './late-result.ts'
import type { LockSlot, Locks, Ticket } from './locks.ts'
import { guardLoop, stoppedLoop } from './loop-guard.ts'
import { accessOf, agentKey, type CallPlan, checkCall, isTruncated, toTicket } from './preflight.ts'
import { toReady } from './ready-event.ts'
import { isRepeatable, recoverCall } from './recover-call.ts'
import { runCall } from './run-call.ts'
import type { Semaphore } from './semaphore.ts'
import { type Terminal, toFailed } from './terminal.ts'

export interface SettleDeps {
  readonly registry: Registry
  readonly contexts: ContextSettings
  readonly locks: Locks
  /** One per agent: a call that waits for its subagent must not take a place that the subagent needs. */
  readonly gate: (agent: string) => Semaphore
  readonly limits: OutputLimits
  readonly abort_grace_ms: number | undefined
  readonly expiry: Expiry
  readonly hooks: Hooks | undefined
  readonly lifecycle: LifecycleHooks | undefined
  readonly judge: (tool: Tool, input: unknown, work: CallWork) => Promise<Verdict>
  /** A rule that an approver asked to remember, until a moment or for good. */
  readonly remember: (rule: string, work: CallWork, expires_at?: string) => Promise<void>
  /** The outcome of a call that was started early; undefined if it was not. */
  readonly takeEager: (call: CallState, scope: ToolScope) => StartedCall | undefined
}

/** A call that was begun while the model still wrote. */
export interface StartedCall {
  /** False when it has to wait for its turn after all. */
  readonly accepted: Promise<boolean>
  /** Undefined when it could not be carried through. */
  readonly result: Promise<CallEnd | undefined>
}

/** A terminal event and what must be committed with it. */
export interface CallEnd {
  readonly terminal: Terminal
  readonly notes: readonly EventOf<'note'>[]
}

/** Resolves when nothing more can be done without help. Rejects only when the log cannot be written. */
export async function settle(
  calls: readonly CallState[],
  scope: ToolScope,
  voice: ToolHost,
  deps: SettleDeps,
): Promise<void> {
  const all = inOrder(calls, scope)
  const prepared = await Promise.all(
    all.map(call => (calls.includes(call) ? prepare : stayWaiting)(call, scope, voice, deps)),
  )
  const settled: LockSlot[] = []
  // Places are taken in call order, before anything runs.
  const tasks = prepared.map(one => {
    if (!one) return undefined
    if ('waiting' in one) {
      const place = deps.locks.enter(one.waiting)
      place.park()
      settled.push(place)
      return undefined
    }
    if ('early' in one) return takeEarly(one, deps)
    const place = enter(one, deps.locks)
    return take(one, place, deps).finally(() => settled.push(place))
  })
  const ends = await Promise.allSettled(tasks)
  // A waiting call's slot is released only now: it holds back later calls of this message.
  for (const place of settled) place.leave()
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

/** The calls to settle, with those of their message that wait for an approval: these still have their places. */
function inOrder(calls: readonly CallState[], scope: ToolScope): readonly CallState[] {
  const known = scope.agent().calls
  const waiting = known.filter(call => call.approval && isWaiting(call))
  if (waiting.length === 0 || calls.every(call => waiting.some(one => one.call_id === call.call_id)))
    return calls
  const mine = new Map(calls.map(call => [call.call_id, call]))
  return known.flatMap(call => mine.get(call.call_id) ?? (waiting.includes(call) ? [call] : []))
}

/** The resources of a waiting call, so that later calls come after it. */
async function stayWaiting(
  call: CallState,
  scope: ToolScope,
  voice: ToolHost,
  deps: SettleDeps,
): Promise<{ readonly waiting: Ticket } | undefined> {
  const checked = checkCall(call, scope, deps.registry)
  if (checked.type !== 'server') return undefined
  const work = openCall(call, scope, voice, deps.contexts)
  return { waiting: toTicket(work, await accessOf(checked.tool, checked.input, work)) }
}

/** A call begun early runs already; when that came to nothing it takes its turn like any other. */
async function takeEarly({ early, work }: Early, deps: SettleDeps): Promise<void> {
  const finished = await early
  if (finished) return await finish(work, finished)
  const call = current(work)
  if (!isWaiting(call)) await settle([call], work.scope, work.voice, deps)
}

interface Early {
  readonly early: StartedCall['result']
  readonly work: CallWork
}

function enter({ work, access }: CallPlan, locks: Locks): LockSlot {
  return locks.enter(toTicket(work, access))
}

/** Everything before scheduling. Returns a plan, or nothing when the call is settled or waits already. */
async function prepare(
  given: CallState,
  scope: ToolScope,
  voice: ToolHost,
  deps: SettleDeps,
): Promise<CallPlan | Early | undefined> {
  const begun = deps.takeEager(given, scope)
  if (begun && (await begun.accepted))
    return { early: begun.result, work: openCall(given, scope, voice, deps.contexts) }
  if (given.cancel) return await stopCall(openCall(given, scope, voice, deps.contexts))
  const answer = resolveAnswer({ call: given, voice })
  if (answer) await voice.commit(answer)
  const call = withAnswer(given, answer)
  const work = openCall(call, scope, voice, deps.contexts)
  if (answer?.rule !== undefined && answer.decision === 'approved')
    await deps.remember(answer.rule, forSession(work, deps.contexts), answer.rule_expires_at)
  // Before the decision: what was asked about a message that was cut is withdrawn, and that is no denial.
  if (isTruncated(call, scope)) return await end(work, toFailed(work, truncated()), withdrawn(work))
  const stopped = stoppedLoop(call)
  if (stopped) return await end(work, toFailed(work, stopped), [stopRun(work)])
  const checked = checkCall(call, scope, deps.registry, call.approval?.edited_input_text)
  const settled = settledByDecision(work) ?? settledByClient(work)
  if (settled) return await end(work, checked.type === 'server' ? rejected(settled, checked) : settled)
  if (checked.type === 'failed') return await end(work, toFailed(work, checked.failure))
  if (!call.ready) await voice.commit(toReady(call, checked, voice))
  if (checked.type === 'client') return await requestClient(work, deps.expiry, checked.problem)
  return await planCall(checked.tool, checked.input, work, deps)
}

/** The user stopped this call alone: its questions and its agent end with it. */
async function stopCall(work: CallWork): Promise<undefined> {
  const { call, voice } = work
  await voice.closeAgent?.(call.call_id, call.cancel?.reason ?? '')
  const since = call.started && Date.parse(voice.stamp().ts) - Date.parse(call.started.ts)
  const failed = interrupted({
    by: 'the user',
    sideEffects: true,
    ...(since === undefined ? {} : { seconds: Math.max(0, since / 1000) }),
  })
  return await end(work, toFailed(work, failed, since), withdrawn(work))
}

/** The question about a call that ends needs no answer any more. */
function withdrawn({ call, voice }: CallWork): readonly SessionEvent[] {
  const { approval } = call
  if (!approval || approval.decision) return []
  const { approval_id } = approval
  return [
    {
      type: 'tool.approval_resolved',
      ...voice.stamp(),
      approval_id,
      call_id: call.call_id,
      decision: 'cancelled',
      by: 'system',
    },
  ]
}

/** Stopping a repetition stops the run that led to it, not just one more call. */
function stopRun({ call, voice }: CallWork): EventOf<'input.cancel'> {
  const reason = `the user stopped ${call.name}, which kept giving the same result`
  return { type: 'input.cancel', ...voice.stamp(), reason, by: call.approval?.answer?.by ?? 'user' }
}

async function planCall(
  tool: Tool,
  given: unknown,
  work: CallWork,
  deps: SettleDeps,
): Promise<CallPlan | undefined> {
  const hooked = await askHooks(tool, given, work, deps.hooks)
  if (hooked.type === 'failed') return await end(work, toFailed(work, hooked.failure))
  const { input, said } = hooked
  const access = await accessOf(tool, input, work)
  const judged = await judgeCall(tool, input, work, { deps, said })
  const verdict = await decideByHook(judged, { tool, input }, work, deps.lifecycle)
  if (work.voice.signal.aborted) return await endUnstarted({ work })
  return {
    work: bindPath(work, verdict),
    tool,
    input,
    access,
    verdict,
    ...(said === undefined ? {} : { said }),
  }
}

/** An approved call is not asked about again; a denying rule or hook still applies before the start. */
async function judgeCall(
  tool: Tool,
  input: unknown,
  work: CallWork,
  { deps, said }: { readonly deps: SettleDeps; readonly said: BeforeResult | undefined },
): Promise<Verdict> {
  const verdict = await deps.judge(tool, input, work)
  if (work.call.started)
    return already(isApproved(work) ? verdict : nowhereElse(applyHookDecision(verdict, said)))
  if (isApproved(work) && said?.decision !== 'deny') return withApproval(verdict)
  // A question to a person cannot be answered by a hook's allowance.
  return tool.question && said?.decision === 'allow' ? verdict : applyHookDecision(verdict, said)
}

const isApproved = ({ call }: CallWork): boolean => call.approval?.decision === 'approved'

/** Arguments may have been edited, and rules may have come, since a person was asked: what is denied stays denied. */
const withApproval = (verdict: Verdict): Verdict =>
  verdict.decision === 'deny' && verdict.code !== 'denied_mode' ? verdict : already(verdict)

/** A call that was allowed when it started continues, but not at a path that would not be allowed now. */
const nowhereElse = (verdict: Verdict): VerdictBasis => {
  const { decision, subject } = verdict
  const isGone = decision !== 'allow' && subject?.type === 'path'
  return isGone ? { ...basisOf(verdict), subject: { ...subject, path: '' } } : basisOf(verdict)
}

const already = (basis: VerdictBasis): Verdict => ({
  decision: 'allow',
  reason: 'It was approved.',
  ...basisOf(basis),
})

async function take(plan: CallPlan, place: LockSlot, deps: SettleDeps): Promise<void> {
  const { work, verdict } = plan
  try {
    if (verdict.decision === 'deny') return await end(work, toDenied(plan))
    if (verdict.decision === 'ask') return await ask(plan, place, deps)
    const isBehind = !place.isFree()
    if (isBehind) await tellQueued(work, place.behind())
    const turn = await place.turn(work.voice.signal)
    if (turn.type === 'held') return await hold(work, turn.after)
    if (turn.type === 'aborted') return await endUnstarted(plan)
    const gate = deps.gate(agentKey(work.scope))
    if (gate.isFull()) await tellQueued(work, [])
    await gate.run(() => execute({ ...plan, hasWaited: isBehind }, deps))
    if (isWaiting(current(work))) place.park()
  } finally {
    if (verdict.decision !== 'ask' && !isWaiting(current(work))) place.leave()
  }
}

/** A preview: followers see why it does not run yet. */
async function tellQueued({ voice, call: { call_id } }: CallWork, after: readonly string[]): Promise<void> {
  await voice.emit({ type: 'tool.queued', ...voice.stamp(), call_id, after: [...after] })
}

/** The call as the log has it now. */
const current = ({ call, scope }: CallWork): CallState =>
  scope.agent().calls.find(one => one.call_id === call.call_id) ?? call

/** Asks, and parks the place: later calls that touch the same must come after the answer. */
async function ask(plan: CallPlan, place: LockSlot, deps: SettleDeps): Promise<void> {
  const { work, tool, input } = plan
  // With an earlier call still to run on the same thing, a check now would judge a state that will change.
  const problem = place.isFree() ? await validate(tool, input, work) : undefined
  if (problem) {
    place.leave()
    return await end(work, problem)
  }
  if (work.voice.signal.aborted) return await endUnstarted(plan)
  place.park()
  await commitQuestion(plan, deps)
}

async function commitQuestion(plan: CallPlan, { expiry, lifecycle }: SettleDeps): Promise<void> {
  const { work } = plan
  const asked = await askWithHooks(await askFor(plan, expiry), work, lifecycle)
  if (work.voice.signal.aborted) return await endUnstarted(plan)
  await work.voice.commit(...asked)
}

/** Runs it, or finds out what became of it when a crash cut it off. */
async function execute(planned: CallPlan, deps: SettleDeps): Promise<void> {
  const { tool, input } = planned
  if (planned.work.voice.signal.aborted) return await endUnstarted(planned)
  const plan = await renew(planned, deps)
  const { work } = plan
  if (plan.verdict.decision === 'ask') return await commitQuestion(plan, deps)
  if (plan.verdict.decision === 'deny') return await end(work, toDenied(plan))
  const recovered = work.call.started ? await recoverCall(tool, input, work, deps.limits) : undefined
  if (recovered) return await end(work, recovered)
  const problem = await validate(tool, input, work)
  if (problem) return await end(work, problem)
  if (work.voice.signal.aborted) return await endUnstarted(plan)
  const loop = guardLoop(tool, work)
  if (loop?.type === 'ask') return await work.voice.commit(askDuring(loop.question, work, deps.expiry))
  if (loop) return await end(work, toFailed(work, loop.failure))
  const terminal = await runCall(tool, input, work, { ...deps, stoppedBy: () => stoppedBy(work) })
  const again = work.voice.signal.aborted && !isCancelled(work) && isRepeatable(tool, input, work.context)
  // The server goes down and a second run does no harm: the next owner simply runs it again.
  if (terminal && !again) await end(work, await afterHooks(plan, terminal, work, deps))
}

/** An earlier call may have moved the working directory, or changed what is there: a verdict from before is made again. */
async function renew(plan: CallPlan, deps: SettleDeps): Promise<CallPlan> {
  const { call, scope, voice, context } = plan.work
  const work = openCall(call, scope, voice, deps.contexts)
  if ((work.context.cwd === context.cwd && !plan.hasWaited) || call.started)
    return { ...plan, work: bindPath(work, plan.verdict) }
  const verdict = await deps.judge(plan.tool, plan.input, work)
  const { tool, input } = plan
  const now = isApproved(work)
    ? withApproval(verdict)
    : await decideByHook(applyHookDecision(verdict, plan.said), { tool, input }, work, deps.lifecycle)
  return { ...plan, work: bindPath(work, now), verdict: now }
}

function toDenied(plan: CallPlan): Terminal {
  const { work, verdict } = plan
  const details = { rule: verdict.rule?.text }
  const failed = denied(verdict.code ?? 'denied_rule', verdict.reason, details, denialText(work, verdict))
  return rejected(toFailed(work, failed), plan)
}

const MAX_MESSAGE = 10_000

/** The end of a call that was not allowed, with what its tool has to say to people about that. */
function rejected(terminal: Terminal, { tool, input }: Pick<CallPlan, 'tool' | 'input'>): Terminal {
  if (terminal.type !== 'tool.failed' || terminal.error.layer !== 'permission') return terminal
  const message = tool.renderToolUseRejectedMessage?.(input)
  if (!message) return terminal
  return { ...terminal, error: { ...terminal.error, message: cutMiddle(message, MAX_MESSAGE) } }
}

async function validate(tool: Tool, input: unknown, work: CallWork): Promise<Terminal | undefined> {
  try {
    const problem = await tool.validate?.(input, work.context)
    if (problem === undefined) return undefined
    const { message, code, details } = typeof problem === 'string' ? { message: problem } : problem
    return toFailed(work, precondition(message, code, details))
  } catch (error) {
    // The caller sees the abort, which is why the check has not ended.
    if (work.voice.signal.aborted) return undefined
    return toFailed(work, precondition(reasonOf(error)))
  }
}

/** It never began. A cancel ends it; a server going down leaves it to the next owner. */
async function endUnstarted({ work }: Pick<CallPlan, 'work'>): Promise<undefined> {
  if (isCancelled(work))
    await end(work, toFailed(work, interrupted({ by: stoppedBy(work), sideEffects: false })))
}

const isCancelled = (work: CallWork): boolean =>
  work.scope.agent().cancel !== undefined ||
  work.scope.session().cancel !== undefined ||
  current(work).cancel !== undefined
const stoppedBy = (work: CallWork): string =>
  isCancelled(work) ? 'the user' : 'the server, which is stopping,'

async function hold(work: CallWork, after: readonly string[]): Promise<void> {
  const { voice, call } = work
  await voice.commit({ type: 'note', ...voice.stamp(), name: heldNote(call.call_id), value: after })
}

async function end(
  work: CallWork,
  terminal: Terminal,
  before: readonly SessionEvent[] = [],
): Promise<undefined> {
  return await finish(work, { terminal, notes: work.notebook.take() }, before)
}

/** The only function that commits a terminal event: once, and not if the call is already closed. */
async function finish(
  work: CallWork,
  { terminal, notes }: CallEnd,
  before: readonly SessionEvent[] = [],
): Promise<undefined> {
  const known = work.scope.agent().calls.find(call => call.call_id === work.call.call_id)
  if (known?.outcome) await recordLate(work, terminal)
  else await work.voice.commit(...before, ...notes, terminal)
  work.notebook.committed(notes)
  work.over()
}

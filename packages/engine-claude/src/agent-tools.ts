/**
 * The tool system of a session whose model is a child: Toolwire's and the client's tools run as
 * everywhere else, and the child only hears the results. The child's own tools run in the child;
 * its questions become approvals of the log, and its results the calls' ends.
 */
import type {
  CallState,
  EventOf,
  JsonObject,
  SessionEvent,
  ToolHost,
  ToolScope,
  ToolSystem,
} from '@toolwire/core'
import {
  interrupted,
  parseArguments,
  resolveAnswer,
  settledByDecision,
  toCompleted,
  toFailed,
  unknownOutcome,
  withAnswer,
} from '@toolwire/tools/internal'
import type { Child } from './child.ts'
import type { ChildSession } from './child-session.ts'
import { grantNote, grantsOf } from './grants.ts'
import { asObject } from './json.ts'
import type { PermissionAnswer } from './sdk.ts'

/** A child that runs calls one by one comes to the later ones only after the earlier; nothing hangs on it. */
const REACH_MS = 5_000

/** `own` names the child's own tools; one of the same name here is hidden by it. */
export function createAgentTools(
  native: ToolSystem,
  own: ReadonlySet<string>,
  hold: ChildSession,
): ToolSystem {
  const { startEager, eagerDecided } = native
  return {
    specs: scope => native.specs(scope).filter(spec => !own.has(spec.name)),
    describe: (name, scope) =>
      own.has(name) ? { tool_type: 'builtin', executor: 'server' } : native.describe(name, scope),
    ready: async (call, scope, voice) =>
      own.has(call.name) ? toReady(call, voice) : await native.ready(call, scope, voice),
    async settle(calls, scope, voice) {
      const theirs = calls.filter(call => own.has(call.name))
      const ours = calls.filter(call => !own.has(call.name))
      await Promise.all([
        ...theirs.map(call => settleOwn({ call, scope, voice, hold })),
        settleGateway(ours, scope, voice, { native, hold }),
      ])
    },
    ...(eagerDecided ? { eagerDecided } : {}),
    ...(startEager
      ? {
          startEager: (call, scope, voice) =>
            own.has(call.name) ? undefined : startEager(call, scope, voice),
        }
      : {}),
  }
}

function toReady(call: CallState, voice: ToolHost): readonly EventOf<'tool.ready'>[] {
  const parsed = parseArguments(call.input_text)
  if (!parsed.ok) return []
  const { call_id, name, tool_type, input_text } = call
  const { input } = parsed
  return [
    { type: 'tool.ready', ...voice.stamp(), call_id, name, tool_type, executor: 'server', input_text, input },
  ]
}

/** The child may reject a call before we see it (such as an unknown name); its rejection then applies. */
async function settleGateway(
  calls: readonly CallState[],
  scope: ToolScope,
  voice: ToolHost,
  { native, hold }: { readonly native: ToolSystem; readonly hold: ChildSession },
): Promise<void> {
  const reached = await Promise.all(calls.map(call => untilReached(call, voice, hold)))
  const refused = calls.flatMap((call, i) => {
    const result = reached[i]
    return result ? [toCompleted({ call, voice }, result, 0)] : []
  })
  if (refused.length > 0) await voice.commit(...refused)
  const rest = calls.filter((_, i) => !reached[i])
  if (rest.length > 0) await native.settle(rest, scope, voice)
}

/** Resolves when our handler has the call, or cannot get it yet; with the child's result when it has one already. */
async function untilReached(
  call: CallState,
  voice: ToolHost,
  hold: ChildSession,
): Promise<ReturnType<Child['board']['result']>> {
  const id = hold.childId(call.call_id)
  const child = hold.held?.child
  // Answers and approvals are for calls that were settled up to them before.
  if (id === undefined || !child || call.client || call.approval) return undefined
  const patience = AbortSignal.any([voice.signal, AbortSignal.timeout(REACH_MS)])
  while (!child.isGone && !patience.aborted && child.board.stage(id) === 'made') {
    // The child continues with it after an answer; meanwhile the client can be asked.
    if (child.board.hasQuestions()) return undefined
    await child.board.changed(patience)
  }
  return child.board.result(id)
}

interface OwnCall {
  readonly call: CallState
  readonly scope: ToolScope
  readonly voice: ToolHost
  readonly hold: ChildSession
}

/** Follows one of the child's own calls to its end, or to an unanswered question. */
async function settleOwn(work: OwnCall): Promise<void> {
  const { voice, hold } = work
  const answer = resolveAnswer(work)
  if (answer) await voice.commit(answer)
  const call = withAnswer(work.call, answer)
  const denied = settledByDecision({ call, voice })
  const id = hold.childId(call.call_id)
  const child = hold.held?.child
  if (denied) {
    if (child && id !== undefined) child.decide(id, { behavior: 'deny', message: denied.output_text })
    return await voice.commit(denied)
  }
  if (!child || id === undefined) return await voice.commit(...lost(work, call))
  if (answer && !call.started) {
    await voice.commit(started(call, voice))
    child.decide(id, toAllowed(call))
  }
  await follow({ ...work, call }, child, id)
}

/** Until the child asks, has a result, or is gone. A cancelled call is settled by its canceller. */
async function follow(work: OwnCall, child: Child, id: string): Promise<void> {
  const { call, scope, voice } = work
  const { board } = child
  while (!voice.signal.aborted) {
    const result = board.result(id)
    const question = board.question(id)
    if (result) {
      const isStarted = scope.agent().calls.some(one => one.call_id === call.call_id && one.started)
      const end = toCompleted({ call, voice }, result, 0)
      return await voice.commit(...(isStarted ? [end] : [started(call, voice), end]))
    }
    if (question && !call.approval) return await voice.commit(toRequest(call, voice, question))
    if (child.isGone) return await voice.commit(...lost(work, call))
    await board.changed(voice.signal)
  }
}

function started({ call_id }: CallState, voice: ToolHost): SessionEvent {
  return { type: 'tool.started', ...voice.stamp(), call_id, attempt: 1 }
}

function toRequest(
  { call_id, name }: CallState,
  voice: ToolHost,
  question: { readonly message?: string },
): EventOf<'tool.approval_requested'> {
  const { message = `May ${name} run?` } = question
  const approval_id = voice.newId('apr_')
  return {
    type: 'tool.approval_requested',
    ...voice.stamp(),
    approval_id,
    call_id,
    name,
    kind: 'approval',
    message,
    allow_edit: true,
  }
}

/** With the input as it was, or as the person who approved changed it. */
const toAllowed = (call: CallState): PermissionAnswer => ({
  behavior: 'allow',
  updatedInput: grantedInput(call),
})

const grantedInput = (call: CallState): JsonObject =>
  toInput(call.approval?.edited_input_text ?? call.input_text)

function toInput(text: string): JsonObject {
  const parsed = parseArguments(text)
  return asObject(parsed.ok ? parsed.input : undefined)
}

/** The process that had the call is gone: it cannot run now, and if it ran, its outcome is unknown. */
function lost({ scope, voice }: OwnCall, call: CallState): readonly SessionEvent[] {
  if (call.started) {
    const message = 'The process that ran this was ended; it may or may not have taken effect.'
    return [toFailed({ call, voice }, unknownOutcome(message))]
  }
  const failed = toFailed(
    { call, voice },
    interrupted({ by: 'the end of the process that had it', sideEffects: false }),
  )
  if (call.approval?.decision !== 'approved') return [failed]
  const grant = { input: toInput(call.input_text), run: grantedInput(call) }
  return [
    {
      type: 'note',
      ...voice.stamp(),
      name: grantNote(call.name),
      value: [...grantsOf(scope.agent(), call.name), grant],
    },
    { ...failed, output_text: `${failed.output_text} ${APPROVED_LATE}` },
  ]
}

const APPROVED_LATE = 'It is approved now: make the same call again, and it runs without another question.'

/**
 * Work on calls while the model still writes. Read-only calls that need no question and conflict with no earlier
 * call of their message are started; `settle` commits their result, so an aborted message leaves none behind.
 * Calls that need an approval ask for it.
 */
import type { CallState, ToolHost, ToolScope } from '@toolwire/core'
import { askFor } from './approval.ts'
import { openCall } from './call-context.ts'
import { bindPath } from './judged-path.ts'
import { overlaps } from './locks.ts'
import { guardLoop } from './loop-guard.ts'
import { accessOf, agentKey, type CallPlan, checkCall, toTicket } from './preflight.ts'
import { runCall } from './run-call.ts'
import type { CallEnd, SettleDeps, StartedCall } from './settle.ts'

export interface EagerCalls {
  /** Never throws, never waits. */
  readonly start: (call: CallState, scope: ToolScope, voice: ToolHost) => void
  /** Resolves when every call of the agent that may begin early has begun, or will not. */
  readonly decided: (scope: ToolScope) => Promise<void>
  /** The outcome of a call started early, once; undefined if it was not. */
  readonly take: (call: CallState, scope: ToolScope) => StartedCall | undefined
  /** Drops what belongs to messages that are gone. */
  readonly forgetOthers: (scope: ToolScope) => void
}

interface EagerCall extends StartedCall {
  readonly session_id: string
  readonly agent_run_id: string | undefined
  readonly call_id: string
  /** Its `tool.started` or its question is on its way, or it is left to `settle`. */
  readonly decided: Promise<void>
  /** Its resources and the policy's verdict; undefined if that is left to `settle`. */
  readonly judged: Promise<CallPlan | undefined>
  /** The result will not be used: the call's notes are dropped. */
  readonly discard: () => Promise<void>
}

export function createEagerCalls(deps: SettleDeps): EagerCalls {
  const begun = new Map<string, EagerCall>()
  const keyOf = (call: CallState, scope: ToolScope): string =>
    `${scope.session_id}/${scope.agent_run_id ?? ''}/${call.call_id}`

  /** The plan again when the call may begin now. */
  async function accept(judged: Promise<CallPlan | undefined>): Promise<CallPlan | undefined> {
    const plan = await judged
    if (plan?.verdict.decision !== 'allow' || plan.work.voice.signal.aborted) return undefined
    const { tool, input, work } = plan
    if (tool.eager === false || !tool.isReadOnly(input, work.context)) return undefined
    // A call that repeats itself takes its turn, where a person is asked about it.
    if (guardLoop(tool, work)) return undefined
    return (await isFirst(plan)) ? plan : undefined
  }

  /** Asks now what would be asked when the message has ended. */
  async function ask(judged: Promise<CallPlan | undefined>): Promise<void> {
    const plan = await judged
    if (plan?.verdict.decision !== 'ask') return
    const { tool, input, work } = plan
    // With an earlier call still to run on the same thing, a check now would judge a state that will change.
    if ((await isFirst(plan)) && (await tool.validate?.(input, work.context)) !== undefined) return
    if (work.voice.signal.aborted) return
    await work.voice.commit(await askFor(plan, deps.expiry))
  }

  /** No earlier call of the message that has not begun may touch what this one touches. */
  async function isFirst({ work, access }: CallPlan): Promise<boolean> {
    const { calls } = work.scope.agent()
    const at = calls.findIndex(other => other.call_id === work.call.call_id)
    for (const other of calls.slice(0, at)) {
      if (other.executor !== 'server') continue
      const entry = begun.get(keyOf(other, work.scope))
      if (!entry) return false
      if (await entry.accepted) continue
      const waits = await entry.judged
      if (waits?.verdict.decision !== 'ask' || overlaps(waits.access, access)) return false
    }
    return true
  }

  return {
    start(call, scope, voice) {
      if (call.executor !== 'server') return
      const judged = judgeEarly(call, scope, voice, deps).catch(() => undefined)
      const planned = accept(judged).catch(() => undefined)
      const asked = ask(judged).catch(() => undefined)
      const started = Promise.withResolvers<void>()
      const result = planned.then(one => one && runEarly(one, started.resolve, deps)).catch(() => undefined)
      begun.set(keyOf(call, scope), {
        session_id: scope.session_id,
        agent_run_id: scope.agent_run_id,
        call_id: call.call_id,
        accepted: planned.then(one => one !== undefined),
        result,
        decided: Promise.race([started.promise, Promise.all([result, asked]).then(() => undefined)]),
        judged,
        async discard() {
          const finished = await result
          if (finished) (await planned)?.work.notebook.committed(finished.notes)
        },
      })
    },
    async decided(scope) {
      const mine = [...begun.values()].filter(
        entry => entry.session_id === scope.session_id && entry.agent_run_id === scope.agent_run_id,
      )
      await Promise.all(mine.map(entry => entry.decided))
    },
    take(call, scope) {
      const key = keyOf(call, scope)
      const entry = begun.get(key)
      begun.delete(key)
      return entry
    },
    forgetOthers(scope) {
      const alive = new Set(scope.agent().calls.map(call => call.call_id))
      for (const [key, entry] of begun)
        if (
          entry.session_id === scope.session_id &&
          entry.agent_run_id === scope.agent_run_id &&
          !alive.has(entry.call_id)
        ) {
          begun.delete(key)
          void entry.discard()
        }
    },
  }
}

/** The facts of a call that are known before its message has ended; undefined for calls that run later. */
async function judgeEarly(
  call: CallState,
  scope: ToolScope,
  voice: ToolHost,
  deps: SettleDeps,
): Promise<CallPlan | undefined> {
  const checked = checkCall(call, scope, deps.registry)
  if (checked.type !== 'server') return undefined
  const { tool, input } = checked
  const work = openCall(call, scope, voice, deps.contexts)
  // Hooks are asked in the order of the calls, so a call that they see takes its turn.
  if (deps.hooks?.watches(tool.name) || deps.lifecycle?.watches('elicitation')) return undefined
  const verdict = await deps.judge(tool, input, work)
  if (verdict.decision === 'ask' && deps.lifecycle?.watches('permission_request')) return undefined
  const access = await accessOf(tool, input, work)
  return { work: bindPath(work, verdict), tool, input, access, verdict }
}

/**
 * Runs it, unless another call uses the same resource, the concurrency limit is reached, or it cannot work; then
 * it runs later.
 */
async function runEarly(
  { work, tool, input, access }: CallPlan,
  onStart: () => void,
  deps: SettleDeps,
): Promise<CallEnd | undefined> {
  const place = deps.locks.enter(toTicket(work, access))
  try {
    if (!place.isFree() || (await tool.validate?.(input, work.context)) !== undefined) return undefined
    const running = deps.gate(agentKey(work.scope)).tryRun(() =>
      runCall(tool, input, work, {
        limits: deps.limits,
        expiry: deps.expiry,
        abort_grace_ms: deps.abort_grace_ms,
        stoppedBy: () => 'the user',
      }),
    )
    if (!running) return undefined
    onStart()
    const terminal = await running
    return terminal && { terminal, notes: work.notebook.take() }
  } finally {
    place.leave()
  }
}

/**
 * Calls begun while the model still writes. Only read-only ones that nobody has to be asked
 * about, and that conflict with no earlier call of their message. Their result is handed over
 * to `settle`, which commits it: a message that breaks off leaves no result behind.
 */
import type { CallState } from '@toolwire/core'
import type { ToolScope, ToolVoice } from '../tool-system.ts'
import { openCall } from './call-context.ts'
import { accessOf, checkCall, type Plan, toTicket } from './preflight.ts'
import { runCall } from './run-call.ts'
import type { BegunCall, Finished, SettleDeps } from './settle.ts'

export interface EagerCalls {
  /** Never throws, never waits. */
  readonly start: (call: CallState, scope: ToolScope, voice: ToolVoice) => void
  /** Resolves when every call of the agent that may begin early has begun, or will not. */
  readonly decided: (scope: ToolScope) => Promise<void>
  /** What became of a call begun early, once; undefined when it never was. */
  readonly take: (call: CallState, scope: ToolScope) => BegunCall | undefined
  /** Drops what belongs to messages that are gone. */
  readonly forgetOthers: (scope: ToolScope) => void
}

interface Begun extends BegunCall {
  readonly session_id: string
  readonly agent_run_id: string | undefined
  readonly call_id: string
  /** Its `tool.started` is on its way, or it is left to `settle`. */
  readonly decided: Promise<void>
  /** Nobody will ever see the result: what the call noted is forgotten. */
  readonly discard: () => Promise<void>
}

export function createEagerCalls(deps: SettleDeps): EagerCalls {
  const begun = new Map<string, Begun>()
  const keyOf = (call: CallState, scope: ToolScope): string =>
    `${scope.session_id}/${scope.agent_run_id ?? ''}/${call.call_id}`

  async function plan(call: CallState, scope: ToolScope, voice: ToolVoice): Promise<Plan | undefined> {
    const checked = checkCall(call, scope, deps.registry)
    if (checked.type !== 'server') return undefined
    const { tool, input } = checked
    const work = openCall(call, scope, voice, deps.contexts)
    // Hooks are asked in the order of the calls, so a call that they see takes its turn.
    if (deps.hooks?.watches(tool.name)) return undefined
    if (tool.eager === false || !tool.isReadOnly(input, work.context)) return undefined
    const verdict = await deps.judge(tool, input, work)
    if (verdict.decision !== 'allow' || !(await areEarlierAccepted(call, scope))) return undefined
    const access = await accessOf(tool, input, work)
    return { work, tool, input, access, verdict }
  }

  async function run(
    { work, tool, input, access }: Plan,
    onStart: () => void,
  ): Promise<Finished | undefined> {
    const place = deps.locks.enter(toTicket(work, access))
    try {
      if (!place.isFree() || (await tool.validate?.(input, work.context)) !== undefined) return undefined
      const running = runCall(tool, input, work, { limits: deps.limits, stoppedBy: () => 'the user' })
      onStart()
      const terminal = await running
      return terminal && { terminal, notes: work.notebook.take() }
    } finally {
      place.leave()
    }
  }

  /** An earlier call of the message that waits for its turn may write what this one reads. */
  async function areEarlierAccepted(call: CallState, scope: ToolScope): Promise<boolean> {
    const { calls } = scope.agent()
    const at = calls.findIndex(other => other.call_id === call.call_id)
    for (const other of calls.slice(0, at))
      if (other.executor === 'server' && !(await begun.get(keyOf(other, scope))?.accepted)) return false
    return true
  }

  return {
    start(call, scope, voice) {
      if (call.executor !== 'server') return
      const planned = plan(call, scope, voice).catch(() => undefined)
      const started = Promise.withResolvers<void>()
      const result = planned.then(one => one && run(one, started.resolve)).catch(() => undefined)
      begun.set(keyOf(call, scope), {
        session_id: scope.session_id,
        agent_run_id: scope.agent_run_id,
        call_id: call.call_id,
        accepted: planned.then(one => one !== undefined),
        result,
        decided: Promise.race([started.promise, result.then(() => undefined)]),
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

/** Composables over one session. What each returns changes only when its value does. */
import type { ClientTool, Connection } from '@toolwire/client'
import { type CallAnswers, callAnswers, callText, retryContent } from '@toolwire/core/parts'
import {
  type CallView,
  elapsedMs,
  isFinal,
  type PendingView,
  type SessionView,
  type Stats,
} from '@toolwire/core/view'
import { type ComputedRef, computed, onMounted, onScopeDispose } from 'vue'
import { useCopy } from '../shared/use-copy.ts'
import { useNow } from '../shared/use-now.ts'
import { useSessionContext } from './session-context.ts'

/** A part of the view. `select` must return the same value for the same view: a row, a list, a number. */
export function useView<T>(select: (view: SessionView) => T): ComputedRef<T> {
  const { snapshot } = useSessionContext()
  return computed(() => select(snapshot.value.view))
}

/** The session and what can be done with it. */
export function useSession() {
  const { session, commands } = useSessionContext()
  const view = useView(whole => whole)
  return {
    id: computed(() => session.value.id),
    view,
    status: computed(() => view.value.phase),
    turns: computed(() => view.value.turns),
    connection: useConnection(),
    pending: computed(() => view.value.pending),
    stats: computed(() => view.value.stats),
    send: (...given: Parameters<ReturnType<typeof sender>>) => session.value.send(...given),
    cancel: (reason?: string) => commands.value.cancel(session.value.id, reason),
    fork: (options?: { readonly at?: number | string; readonly title?: string }) =>
      commands.value.fork(session.value.id, options),
    /** Asks again what was asked last. Rejects when nothing was. */
    retry: async () => await session.value.send(retryContent(session.value.getSnapshot().view)),
  }
  function sender() {
    return session.value.send
  }
}

/** The connection to the server. */
export function useConnection(): ComputedRef<Connection> {
  const { snapshot } = useSessionContext()
  return computed(() => snapshot.value.connection)
}

/** One call; undefined while the log does not know it. `id` may be a getter over a prop. */
export const useCall = (id: () => string): ComputedRef<CallView | undefined> =>
  useView(view => view.calls.get(id()))

/**
 * One call and its actions. `approve` and the others reject if the call does not wait for them; `copy` copies its
 * output, or its arguments without one.
 */
export function useToolCall(id: () => string) {
  const { commands, session } = useSessionContext()
  const call = useCall(id)
  const acts = (): CallAnswers => callAnswers(commands.value, session.value.id, () => call.value)
  return {
    call,
    approve: (...given: Parameters<CallAnswers['approve']>) => acts().approve(...given),
    editAndApprove: (...given: Parameters<CallAnswers['editAndApprove']>) => acts().editAndApprove(...given),
    deny: (...given: Parameters<CallAnswers['deny']>) => acts().deny(...given),
    respond: (...given: Parameters<CallAnswers['respond']>) => acts().respond(...given),
    cancel: (...given: Parameters<CallAnswers['cancel']>) => acts().cancel(...given),
    ...useCopy(() => (call.value ? callText(call.value) : '')),
  }
}

/** Pending items, oldest first. */
export const usePending = (): ComputedRef<readonly PendingView[]> => useView(view => view.pending)

/** Totals of the session. */
export const useStats = (): ComputedRef<Stats> => useView(view => view.stats)

/** Running or waiting time of a call, or of the call of that id, in ms; ticks until the call has ended. 0 without one. */
export function useElapsed(call: () => CallView | string): ComputedRef<number> {
  const { clock } = useSessionContext()
  const found = useView(view => {
    const given = call()
    return typeof given === 'string' ? view.calls.get(given) : given
  })
  const now = useNow(() => found.value !== undefined && !isFinal(found.value.state), clock)
  return computed(() => (found.value ? elapsedMs(found.value, now.value) : 0))
}

/** The answers to a pending item. Each resolves when the server has recorded it; the view changes when the log says so. */
export function useAnswers() {
  const { commands, session } = useSessionContext()
  return {
    approve: (id: string, options?: Parameters<typeof commands.value.approve>[1]) =>
      commands.value.approve(id, options),
    deny: (id: string, reason?: string) => commands.value.deny(id, reason),
    answer: (id: string, answer: unknown) => commands.value.answer(id, answer),
    /** Stops one call; other calls and the run continue. */
    stop: (callId: string, reason?: string) => commands.value.cancelCall(session.value.id, callId, reason),
    giveOutput: (callId: string, output: unknown, isError = false) =>
      commands.value.toolOutputs(session.value.id, [{ call_id: callId, output, is_error: isError }]),
  }
}

/** Lets this page run a tool of that name while the component is mounted. */
export function useClientTool(name: string, tool: ClientTool): void {
  const { session } = useSessionContext()
  let remove: (() => void) | undefined
  onMounted(() => {
    remove = session.value.registerTool(name, tool)
  })
  onScopeDispose(() => remove?.())
}

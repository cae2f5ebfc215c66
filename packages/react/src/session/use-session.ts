/** Hooks over one session. Each re-renders only when what it returns has changed. */
import type { ClientTool, Connection } from '@toolwire/client'
import { callAnswers, callText, retryContent } from '@toolwire/core/parts'
import {
  type CallView,
  elapsedMs,
  isFinal,
  type PendingView,
  type SessionView,
  type Stats,
} from '@toolwire/core/view'
import { useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import { useCopy } from '../shared/use-copy.ts'
import { useNow } from '../shared/use-now.ts'
import { useSessionContext } from './session-context.ts'

/** A part of the view. `select` must return the same value for the same view: a row, a list, a number. */
export function useView<T>(select: (view: SessionView) => T): T {
  const { session } = useSessionContext()
  const get = () => select(session.getSnapshot().view)
  return useSyncExternalStore(session.subscribe, get, get)
}

/** The session and what can be done with it. Re-renders with every change of the view. */
export function useSession() {
  const { session, commands } = useSessionContext()
  const view = useView(whole)
  const connection = useConnection()
  const acts = useMemo(
    () => ({
      send: session.send.bind(session),
      cancel: (reason?: string) => commands.cancel(session.id, reason),
      fork: (options?: Parameters<typeof commands.fork>[1]) => commands.fork(session.id, options),
      /** Asks again what was asked last. Rejects when nothing was. */
      retry: async () => await session.send(retryContent(session.getSnapshot().view)),
    }),
    [session, commands],
  )
  const { phase: status, turns, pending, stats } = view
  return { id: session.id, view, status, turns, connection, pending, stats, ...acts }
}

const whole = (view: SessionView): SessionView => view

/** The connection to the server. */
export function useConnection(): Connection {
  const { session } = useSessionContext()
  const get = () => session.getSnapshot().connection
  return useSyncExternalStore(session.subscribe, get, get)
}

/** One call; undefined while the log does not know it. */
export const useCall = (id: string): CallView | undefined => useView(view => view.calls.get(id))

/**
 * One call and its actions. `approve` and the others reject if the call does not wait for them; `copy` copies its
 * output, or its arguments without one.
 */
export function useToolCall(id: string) {
  const { commands, session } = useSessionContext()
  const call = useCall(id)
  const acts = useMemo(
    () => callAnswers(commands, session.id, () => session.getSnapshot().view.calls.get(id)),
    [commands, session, id],
  )
  const { copied, copy } = useCopy(() => (call ? callText(call) : ''))
  return { call, ...acts, copied, copy }
}

/** Pending items, oldest first. */
export const usePending = (): readonly PendingView[] => useView(view => view.pending)

/** Totals of the session. */
export const useStats = (): Stats => useView(view => view.stats)

/** Running or waiting time of a call, or of the call of that id, in ms; ticks until the call has ended. 0 without one. */
export function useElapsed(call: CallView | string): number {
  const { clock } = useSessionContext()
  const found = useView(view => (typeof call === 'string' ? view.calls.get(call) : call))
  const now = useNow(found !== undefined && !isFinal(found.state), clock)
  return found ? elapsedMs(found, now) : 0
}

/** The answers to a pending item. Each resolves when the server has recorded it; the view changes when the log says so. */
export function useAnswers() {
  const { commands, session } = useSessionContext()
  return useMemo(
    () => ({
      approve: commands.approve,
      deny: commands.deny,
      answer: commands.answer,
      /** Stops one call; other calls and the run continue. */
      stop: (callId: string, reason?: string) => commands.cancelCall(session.id, callId, reason),
      giveOutput: (callId: string, output: unknown, isError = false) =>
        commands.toolOutputs(session.id, [{ call_id: callId, output, is_error: isError }]),
    }),
    [commands, session],
  )
}

/** Lets this page run a tool of that name while the component is mounted. The newest handler counts. */
export function useClientTool(name: string, tool: ClientTool): void {
  const { session } = useSessionContext()
  const latest = useRef(tool)
  latest.current = tool
  const { description, input_schema } = tool
  const handler = useCallback<ClientTool['handler']>(
    (input, context) => latest.current.handler(input, context),
    [],
  )
  useEffect(
    () =>
      session.registerTool(name, {
        handler,
        ...(description === undefined ? {} : { description }),
        ...(input_schema === undefined ? {} : { input_schema }),
      }),
    [session, name, handler, description, input_schema],
  )
}

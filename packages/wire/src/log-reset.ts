/**
 * Sent to a reader whose cursor belongs to another history (a restored backup, a failover that lost events): all
 * it knows of the session is void, and the session follows from its first event.
 */
export interface LogReset {
  readonly type: 'log.reset'
  readonly session_id: string
  /** The last event that the log has now. */
  readonly head: number
}

/**
 * SSE bytes of that one frame. It is no event of the log, so it has no `id:` and moves no cursor. `named` is for
 * wires whose frames carry their type in an `event:` line.
 */
export function encodeLogReset(reset: Omit<LogReset, 'type'>, named: boolean): string {
  const body: LogReset = { type: 'log.reset', session_id: reset.session_id, head: reset.head }
  return `${named ? 'event: log.reset\n' : ''}data: ${JSON.stringify(body)}\n\n`
}

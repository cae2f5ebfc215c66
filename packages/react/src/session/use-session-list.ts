/** Lists that the server keeps: sessions, and what waits in any of them. Read again at intervals and on demand. */
import type { Client, InboxItem, ListSessions, SessionJson, ToolwireError } from '@toolwire/client'
import { useCallback, useEffect, useRef, useState } from 'react'

export interface PollState<T> {
  readonly data: T
  /** False until the first answer. */
  readonly loaded: boolean
  readonly error: ToolwireError | undefined
  /** Reads at once. */
  readonly refresh: () => void
}

export interface PollOptions {
  /** 4 seconds by default; nothing is read while the page is hidden. */
  readonly intervalMs?: number
}

const NO_SESSIONS: readonly SessionJson[] = []

/** Sessions, last updated first. */
export function useSessionList(
  client: Client,
  query: ListSessions = {},
  options: PollOptions = {},
): PollState<readonly SessionJson[]> {
  const key = JSON.stringify(query)
  const read = useCallback(
    async () => (await client.sessions.list(JSON.parse(key) as ListSessions)).sessions,
    [client, key],
  )
  return usePolled(read, NO_SESSIONS, options)
}

export interface InboxOptions extends PollOptions {
  /** With `short` long arguments are cut: they would be read again in every round. */
  readonly inputs?: 'full' | 'short'
}

const NO_ITEMS: readonly InboxItem[] = []

/** All pending items of all sessions. */
export function useInbox(client: Client, options: InboxOptions = {}): PollState<readonly InboxItem[]> {
  const { inputs } = options
  const read = useCallback(() => client.pending(undefined, inputs), [client, inputs])
  return usePolled(read, NO_ITEMS, options)
}

function usePolled<T>(read: () => Promise<T>, empty: T, { intervalMs = 4000 }: PollOptions): PollState<T> {
  const [state, setState] = useState<Omit<PollState<T>, 'refresh'>>({
    data: empty,
    loaded: false,
    error: undefined,
  })
  const now = useRef<() => void>(() => {})
  useEffect(() => {
    let over = false
    let timer: ReturnType<typeof setTimeout> | undefined
    let round = 0
    const load = () => {
      clearTimeout(timer)
      const mine = ++round
      const done = (change: Partial<Omit<PollState<T>, 'refresh'>>) => {
        // A later read has begun: its answer is newer than this one.
        if (over || mine !== round) return
        setState(before => ({ ...before, error: undefined, ...change, loaded: true }))
        timer = setTimeout(tick, intervalMs)
      }
      read().then(
        data => done({ data }),
        (error: ToolwireError) => done({ error }),
      )
    }
    const tick = () => (document.hidden ? undefined : load())
    const shown = () => !document.hidden && load()
    now.current = load
    load()
    document.addEventListener('visibilitychange', shown)
    return () => {
      over = true
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', shown)
    }
  }, [read, intervalMs])
  const refresh = useCallback(() => now.current(), [])
  return { ...state, refresh }
}

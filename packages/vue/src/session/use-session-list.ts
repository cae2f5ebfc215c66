/** Lists that the server keeps: sessions, and what waits in any of them. Read again at intervals and on demand. */
import type { Client, InboxItem, ListSessions, SessionJson, ToolwireError } from '@toolwire/client'
import { onMounted, onScopeDispose, type ShallowRef, shallowRef, watch } from 'vue'

export interface PollState<T> {
  readonly data: Readonly<ShallowRef<T>>
  /** False until the first answer. */
  readonly loaded: Readonly<ShallowRef<boolean>>
  readonly error: Readonly<ShallowRef<ToolwireError | undefined>>
  /** Reads at once. */
  readonly refresh: () => void
}

export interface PollOptions {
  /** 4 seconds by default; nothing is read while the page is hidden. */
  readonly intervalMs?: number
}

/** Sessions, last updated first. `query` is read reactively. */
export function useSessionList(
  client: Client,
  query: () => ListSessions = () => ({}),
  options: PollOptions = {},
): PollState<readonly SessionJson[]> {
  const polled = usePolled<readonly SessionJson[]>(
    async () => (await client.sessions.list(query())).sessions,
    [],
    options,
  )
  watch(query, polled.refresh, { deep: true })
  return polled
}

export interface InboxOptions extends PollOptions {
  /** With `short` long arguments are cut: they would be read again in every round. */
  readonly inputs?: 'full' | 'short'
}

/** All pending items of all sessions. */
export const useInbox = (client: Client, options: InboxOptions = {}): PollState<readonly InboxItem[]> =>
  usePolled<readonly InboxItem[]>(() => client.pending(undefined, options.inputs), [], options)

function usePolled<T>(read: () => Promise<T>, empty: T, { intervalMs = 4000 }: PollOptions): PollState<T> {
  const data = shallowRef(empty)
  const loaded = shallowRef(false)
  const error = shallowRef<ToolwireError | undefined>(undefined)
  let over = false
  let round = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  const refresh = () => {
    clearTimeout(timer)
    const mine = ++round
    const done = (change: () => void) => {
      // A later read has begun: its answer is newer than this one.
      if (over || mine !== round) return
      change()
      loaded.value = true
      timer = setTimeout(() => !document.hidden && refresh(), intervalMs)
    }
    read().then(
      found =>
        done(() => {
          data.value = found
          error.value = undefined
        }),
      (thrown: ToolwireError) =>
        done(() => {
          error.value = thrown
        }),
    )
  }
  const shown = () => !document.hidden && refresh()
  onMounted(() => {
    refresh()
    document.addEventListener('visibilitychange', shown)
  })
  onScopeDispose(() => {
    over = true
    clearTimeout(timer)
    globalThis.document?.removeEventListener('visibilitychange', shown)
  })
  return { data, loaded, error, refresh }
}

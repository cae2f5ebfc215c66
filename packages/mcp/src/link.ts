/**
 * Keeps one thing open: begins at once, tries again with growing pauses when it cannot be
 * opened or is lost, and makes one attempt at a time however many ask.
 */

export interface Backoff {
  readonly first_ms: number
  readonly max_ms: number
  /** After this time open, the delay resets to the first one. */
  readonly stable_ms: number
}

export const BACKOFF: Backoff = { first_ms: 1_000, max_ms: 60_000, stable_ms: 30_000 }

export interface LinkOptions<T> {
  /** The signal is aborted when the result is no longer needed. */
  readonly open: (signal: AbortSignal) => Promise<T>
  /** Ends what was opened. Called once for each. */
  readonly end: (value: T) => Promise<void>
  readonly backoff: Backoff
  readonly onChange: () => void
}

export interface Link<T> {
  readonly current: () => T | undefined
  /** The open resource, or an attempt to open it now. Throws the error of opening. */
  readonly get: () => Promise<T>
  /** It is of no use any more. Nothing happens when it is not the current one. */
  readonly lose: (value: T, error: unknown) => void
  readonly state: () => 'connecting' | 'ready' | 'waiting' | 'closed'
  /** The reason that it is not open; undefined if it is. */
  readonly error: () => unknown
  /** Idempotent. Waits for an attempt in progress, which is then ended as well. */
  readonly close: () => Promise<void>
}

export function createLink<T>({ open, end, backoff, onChange }: LinkOptions<T>): Link<T> {
  let current: T | undefined
  let opening: Promise<T> | undefined
  let timer: NodeJS.Timeout | undefined
  let attempts = 0
  let since = 0
  let error: unknown
  const closing = new AbortController()
  const { signal } = closing

  async function attempt(): Promise<T> {
    const value = await open(signal)
    if (signal.aborted) {
      await end(value).catch(() => undefined)
      throw new Error('It is being closed.')
    }
    current = value
    error = undefined
    since = performance.now()
    return value
  }

  function get(): Promise<T> {
    if (current !== undefined) return Promise.resolve(current)
    if (signal.aborted) return Promise.reject(new Error('It is closed.'))
    clearTimeout(timer)
    opening ??= attempt()
      .catch((reason: unknown) => {
        error = reason
        later()
        throw reason
      })
      .finally(() => {
        opening = undefined
        onChange()
      })
    return opening
  }

  function later(): void {
    if (signal.aborted) return
    clearTimeout(timer)
    const pause = Math.min(backoff.max_ms, backoff.first_ms * 2 ** attempts++)
    timer = setTimeout(begin, pause).unref()
  }

  const begin = (): void => void get().catch(() => undefined)

  function lose(value: T, reason: unknown): void {
    if (current !== value || signal.aborted) return
    current = undefined
    error = reason
    if (performance.now() - since > backoff.stable_ms) attempts = 0
    void end(value).catch(() => undefined)
    later()
    onChange()
  }

  async function close(): Promise<void> {
    closing.abort()
    clearTimeout(timer)
    const last = current
    current = undefined
    if (last !== undefined) await end(last).catch(() => undefined)
    await opening?.catch(() => undefined)
  }

  begin()
  return {
    current: () => current,
    get,
    lose,
    state: () =>
      signal.aborted ? 'closed' : current !== undefined ? 'ready' : opening ? 'connecting' : 'waiting',
    error: () => error,
    close,
  }
}

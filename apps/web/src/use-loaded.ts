/** Something that is read from the server once, and again on demand. */
import { useCallback, useEffect, useState } from 'react'

export interface LoadState<T> {
  /** Undefined until the first answer. */
  readonly data: T | undefined
  /** The error of the latest attempt; '' without one. */
  readonly error: string
  readonly refresh: () => void
}

/** `read` must be stable. An answer that comes after the next request was made is dropped. */
export function useLoaded<T>(read: () => Promise<T>): LoadState<T> {
  const [state, setState] = useState<{ readonly data: T | undefined; readonly error: string }>({
    data: undefined,
    error: '',
  })
  const [round, setRound] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round is the reason to read again
  useEffect(() => {
    let over = false
    read().then(
      data => {
        if (!over) setState({ data, error: '' })
      },
      (thrown: unknown) => {
        if (!over) setState(({ data }) => ({ data, error: errorText(thrown) }))
      },
    )
    return () => {
      over = true
    }
  }, [read, round])
  const refresh = useCallback(() => setRound(n => n + 1), [])
  return { ...state, refresh }
}

/** The text of a thrown value for users. */
export const errorText = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown)

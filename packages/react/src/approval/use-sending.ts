/** One request at a time, from a button: in flight, rejected, or done. */
import { useCallback, useState } from 'react'

/** `run` never throws; a rejection is in `error`. After success it stays "sending" until the log moves on. */
export function useSending() {
  const [sending, setSending] = useState(false)
  const [error, setError] = useState('')
  const run = useCallback((work: () => Promise<unknown>) => {
    setSending(true)
    setError('')
    work().catch((thrown: unknown) => {
      setSending(false)
      setError(thrown instanceof Error ? thrown.message : String(thrown))
    })
  }, [])
  return { sending, error, run }
}

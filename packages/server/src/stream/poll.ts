/** Asks again and again, one at a time, without holding the process open. */

/** Returns a function that stops it; idempotent. A rejection means that there is nothing to learn now. */
export function poll(ask: () => Promise<void>, everyMs: number): () => void {
  let stopped = false
  let timer: NodeJS.Timeout
  function schedule(): void {
    timer = setTimeout(() => {
      void ask()
        .catch(() => {})
        .then(() => {
          if (!stopped) schedule()
        })
    }, everyMs)
    timer.unref()
  }
  schedule()
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}

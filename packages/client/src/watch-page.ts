/** Reports if the page is visible. Always true outside of a browser. */

export interface PageWatcher {
  /** The page has been out of sight for a while; called again after each further while. */
  readonly onHidden: () => void
  readonly onShown: () => void
}

/** Returns what ends the watch. */
export function watchPage(afterMs: number, { onHidden, onShown }: PageWatcher): () => void {
  const { document } = globalThis
  if (!document) return () => {}
  let timer: ReturnType<typeof setInterval> | undefined
  const look = (): void => {
    clearInterval(timer)
    if (document.hidden) timer = setInterval(onHidden, afterMs)
    else onShown()
  }
  document.addEventListener('visibilitychange', look)
  if (document.hidden) look()
  return () => {
    clearInterval(timer)
    document.removeEventListener('visibilitychange', look)
  }
}

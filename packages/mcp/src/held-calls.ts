/** Requests that wait for a person's answer over a live connection. They are lost with the process. */
import type { LiveCall } from './live-call.ts'

export interface HeldCalls {
  /** Keeps a request; it is given up after the time that a server may be kept waiting. */
  readonly keep: (key: string, live: LiveCall) => void
  readonly has: (key: string) => boolean
  /** Takes a request out, once. */
  readonly take: (key: string) => LiveCall | undefined
  /** Gives a request up. Nothing happens when it is not here any more. */
  readonly drop: (key: string) => void
  /** Gives all up. */
  readonly close: () => void
}

export function createHeldCalls(hold_ms: number): HeldCalls {
  const held = new Map<string, { readonly live: LiveCall; readonly timer: NodeJS.Timeout }>()

  function take(key: string): LiveCall | undefined {
    const entry = held.get(key)
    if (!entry) return undefined
    clearTimeout(entry.timer)
    held.delete(key)
    return entry.live
  }

  function drop(key: string, why = 'The call is over.'): void {
    take(key)?.abort(new Error(why))
  }

  return {
    take,
    has: key => held.has(key),
    drop: key => drop(key),
    keep(key, live) {
      drop(key)
      const timer = setTimeout(
        () => drop(key, 'Nobody answered for too long.'),
        Math.min(hold_ms, 2 ** 31 - 1),
      )
      held.set(key, { live, timer: timer.unref() })
    },
    close() {
      for (const key of [...held.keys()]) drop(key, 'The server is being closed.')
    },
  }
}

/** The watchers of one store. A hint is advisory and carries no data: watchers read the log. */
import type { Seq } from '@toolwire/core'

type Hint = (session: string, head: Seq) => void

export interface Hints {
  /** Adds a watcher; the returned function removes it and may be called twice. */
  readonly add: (hint: Hint) => () => void
  /** Calls every watcher. A watcher that throws becomes a process warning; the commit is not affected. */
  readonly send: (session: string, head: Seq) => void
  readonly clear: () => void
}

export function createHints(): Hints {
  const watchers = new Set<{ readonly hint: Hint }>()
  return {
    add(hint) {
      const watcher = { hint }
      watchers.add(watcher)
      return () => {
        watchers.delete(watcher)
      }
    },
    send(session, head) {
      for (const watcher of watchers) {
        try {
          watcher.hint(session, head)
        } catch (error) {
          process.emitWarning(error instanceof Error ? error : String(error))
        }
      }
    },
    clear: () => watchers.clear(),
  }
}

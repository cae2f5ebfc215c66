/** Finds pending items that were not announced yet. */
import type { PendingView, SessionView } from '../../view.ts'

/** One per reader. An item that stops waiting and waits again is announced again. */
export class NewPending {
  #known: ReadonlySet<string> = new Set()

  /** The new ones, oldest first; each once. */
  of({ pending }: SessionView): readonly PendingView[] {
    const before = this.#known
    this.#known = new Set(pending.map(item => item.id))
    return pending.filter(item => !before.has(item.id))
  }
}

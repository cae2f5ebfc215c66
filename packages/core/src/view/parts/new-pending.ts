/** Which of the things that wait have not been told of. */
import type { PendingView, SessionView } from '../view.ts'

/** One per reader. What stops waiting and waits again is told of again. */
export class NewPending {
  #known: ReadonlySet<string> = new Set()

  /** The new ones, oldest first; each once. */
  of({ pending }: SessionView): readonly PendingView[] {
    const before = this.#known
    this.#known = new Set(pending.map(item => item.id))
    return pending.filter(item => !before.has(item.id))
  }
}

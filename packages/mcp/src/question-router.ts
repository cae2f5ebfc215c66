/**
 * Finds the call of a question from a server of the older era: such a question names no call. Over HTTP it arrives
 * on the stream of its call, known by the asynchronous context. Elsewhere it belongs to the only call that can
 * have asked it; with calls of several owners it waits until the others have ended, and is rejected if that cannot
 * happen. A question never reaches a wrong owner.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

interface QuestionTarget<Answer> {
  /** Calls of one owner may take each other's questions. */
  readonly owner: string
  readonly answer: Answer
}

export interface QuestionRouter<Answer> {
  /** Runs a call that may be asked for; its questions find it until it ends. */
  readonly run: <T>(asker: QuestionTarget<Answer>, call: () => Promise<T>) => Promise<T>
  /** The asking call; undefined if it cannot be determined. It is treated as waiting until `done`. */
  readonly find: (signal: AbortSignal) => Promise<MatchedQuestion<Answer> | undefined>
  /** The call on whose behalf the server asks, where that is beyond doubt. */
  readonly peek: () => Answer | undefined
}

interface MatchedQuestion<Answer> {
  readonly answer: Answer
  /** The question is answered. */
  readonly done: () => void
}

interface QuestionEntry<Answer> extends QuestionTarget<Answer> {
  /** Its open questions. */
  waiting: number
}

export function createQuestionRouter<Answer>(): QuestionRouter<Answer> {
  const context = new AsyncLocalStorage<QuestionEntry<Answer>>()
  const entries = new Set<QuestionEntry<Answer>>()
  const seekers = new Set<() => void>()

  function take(entry: QuestionEntry<Answer>): MatchedQuestion<Answer> {
    entry.waiting += 1
    look()
    let open = true
    return {
      answer: entry.answer,
      done() {
        if (!open) return
        open = false
        entry.waiting -= 1
        look()
      },
    }
  }

  function look(): void {
    for (const seek of [...seekers]) seek()
  }

  /** The call, none, or not yet known. */
  function guess(): QuestionEntry<Answer> | 'nobody' | undefined {
    const free = [...entries].filter(entry => entry.waiting === 0)
    const last = free.at(-1)
    if (!last) return 'nobody'
    if (free.every(entry => entry.owner === last.owner)) return last
    // As many questions as calls: none of them will end before its answer.
    return free.length <= seekers.size ? 'nobody' : undefined
  }

  function seek(signal: AbortSignal): Promise<MatchedQuestion<Answer> | undefined> {
    return new Promise(resolve => {
      const end = (found: MatchedQuestion<Answer> | undefined): void => {
        seekers.delete(attempt)
        signal.removeEventListener('abort', stop)
        resolve(found)
      }
      const stop = (): void => end(undefined)
      const attempt = (): void => {
        const found = guess()
        if (!found) return
        seekers.delete(attempt)
        end(found === 'nobody' ? undefined : take(found))
      }
      signal.addEventListener('abort', stop, { once: true })
      seekers.add(attempt)
      look()
    })
  }

  return {
    async run(asker, call) {
      const entry = { ...asker, waiting: 0 }
      entries.add(entry)
      try {
        return await context.run(entry, call)
      } finally {
        entries.delete(entry)
        look()
      }
    },
    async find(signal) {
      const known = context.getStore()
      if (known && entries.has(known)) return take(known)
      return await seek(signal)
    },
    peek() {
      const known = context.getStore()
      if (known && entries.has(known)) return known.answer
      const [first, ...others] = entries
      return others.every(entry => entry.owner === first?.owner) ? first?.answer : undefined
    },
  }
}

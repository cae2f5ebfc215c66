/** Suggestions while a message is written: files after `@`, commands and skills after `/` at the start. */
import { Observable } from './observable.ts'

export interface CompletionRequest {
  readonly kind: 'file' | 'command'
  /** The text behind the sign, up to the caret. */
  readonly query: string
}

export interface Completion {
  /** Replaces the query. A folder ends with `/` and opens its list. */
  readonly value: string
  readonly label: string
  readonly note?: string
  /** Done in place of being inserted; the typed command is removed. */
  readonly run?: () => void
}

export type Complete = (request: CompletionRequest, signal: AbortSignal) => Promise<readonly Completion[]>

export interface CompletionList {
  readonly items: readonly Completion[]
  /** Index of the highlighted one. */
  readonly index: number
}

/** The text after a completion, and where the caret goes. */
export interface CompletedText {
  readonly text: string
  readonly caret: number
}

interface Target extends CompletionRequest {
  readonly text: string
  /** Position after the sign. */
  readonly from: number
  readonly caret: number
}

const NONE: CompletionList = { items: [], index: 0 }
const MOST_ITEMS = 50

/** The text that is completed at the caret; undefined without one. Pure. */
export function completionAt(text: string, caret: number): CompletionRequest | undefined {
  const target = targetAt(text, caret)
  return target && { kind: target.kind, query: target.query }
}

function targetAt(text: string, caret: number): Target | undefined {
  const before = text.slice(0, caret)
  const command = /^\/([\w:.-]*)$/.exec(before)
  if (command) return { kind: 'command', query: command[1] ?? '', text, from: 1, caret }
  const start = Math.max(before.lastIndexOf(' '), before.lastIndexOf('\n'), before.lastIndexOf('\t')) + 1
  if (before[start] !== '@') return undefined
  return { kind: 'file', query: before.slice(start + 1), text, from: start + 1, caret }
}

export class Completer extends Observable<CompletionList> {
  #complete: Complete
  #target: Target | undefined
  #reading: AbortController | undefined

  constructor(complete: Complete) {
    super(NONE)
    this.#complete = complete
  }

  /** Reads the text before the caret. */
  update(text: string, caret: number): void {
    this.#reading?.abort()
    this.#target = targetAt(text, caret)
    if (!this.#target) {
      this.set(NONE)
      return
    }
    const reading = new AbortController()
    this.#reading = reading
    this.#complete(this.#target, reading.signal).then(
      items => {
        if (!reading.signal.aborted)
          this.set(items.length === 0 ? NONE : { items: items.slice(0, MOST_ITEMS), index: 0 })
      },
      () => {
        // A list is a help: without one the text is written by hand.
        if (!reading.signal.aborted) this.set(NONE)
      },
    )
  }

  readonly close = (): void => {
    this.#reading?.abort()
    this.#target = undefined
    this.set(NONE)
  }

  move(step: 1 | -1): void {
    const { items, index } = this.getSnapshot()
    if (items.length > 0) this.set({ items, index: (index + step + items.length) % items.length })
  }

  /** The text with an item in place of what was typed; the highlighted one without `index`. */
  choose(index = this.getSnapshot().index): CompletedText | undefined {
    const item = this.getSnapshot().items[index]
    const target = this.#target
    if (!item || !target) return undefined
    this.close()
    const rest = target.text.slice(target.caret)
    if (item.run) {
      item.run()
      return { text: rest.trimStart(), caret: 0 }
    }
    const end = item.value.endsWith('/') || rest.startsWith(' ') ? '' : ' '
    const head = target.text.slice(0, target.from) + item.value + end
    return { text: head + rest, caret: head.length }
  }

  /** Handles a key of the text field. True when the list took it. */
  takeKey(key: string, apply: (text: CompletedText) => void): boolean {
    if (this.getSnapshot().items.length === 0) return false
    if (key === 'ArrowDown') this.move(1)
    else if (key === 'ArrowUp') this.move(-1)
    else if (key === 'Escape') this.close()
    else if (key === 'Enter' || key === 'Tab') {
      const chosen = this.choose()
      if (chosen) apply(chosen)
    } else return false
    return true
  }
}

/** Progress of the calls in a child's latest message, and the waiters for it. */
import type { JsonObject } from '@toolwire/core'
import { untilWoken } from './mailbox.ts'
import type { ReadOutput, ReadResult } from './read-messages.ts'
import { type CallStage, notWaiting, stepWaiting, waitingCalls } from './waiting.ts'

/** A question of the child: may this call of its own tool run? */
export interface ChildQuestion {
  readonly tool: string
  readonly input: JsonObject
  readonly message?: string
}

export class CallTracker {
  readonly #questions = new Map<string, ChildQuestion>()
  readonly #results = new Map<string, ReadResult>()
  readonly #watchers = new Set<() => void>()
  #waits = notWaiting

  stage(call_id: string): CallStage | undefined {
    return this.#waits.calls.get(call_id)
  }

  question(call_id: string): ChildQuestion | undefined {
    return this.#questions.get(call_id)
  }

  result(call_id: string): ReadResult | undefined {
    return this.#results.get(call_id)
  }

  /** Calls that block the child, see waiting.ts. */
  waiting(): readonly string[] {
    return waitingCalls(this.#waits)
  }

  /** Some call of the latest message waits for a decision. */
  hasQuestions(): boolean {
    return [...this.#waits.calls.values()].includes('asked')
  }

  /** Calls of the latest message that are past the mere writing. */
  reached(): ReadonlySet<string> {
    return new Set([...this.#waits.calls].flatMap(([id, stage]) => (stage === 'made' ? [] : [id])))
  }

  /** Notes what the child has said. */
  note(output: ReadOutput): void {
    if (output.type === 'result') {
      this.#results.set(output.call_id, output)
      this.reach(output.call_id, 'done')
    }
    if (output.type !== 'part') return
    const { part } = output
    if (part.type === 'start') this.#waits = stepWaiting(this.#waits, { type: 'message' })
    if (part.type === 'end') this.#waits = stepWaiting(this.#waits, { type: 'end' })
    if (part.type === 'block-start' && part.kind === 'tool_use' && part.tool) this.reach(part.tool.id, 'made')
  }

  ask(call_id: string, question: ChildQuestion): void {
    this.#questions.set(call_id, question)
    this.reach(call_id, 'asked')
  }

  reach(id: string, stage: CallStage): void {
    this.#waits = stepWaiting(this.#waits, { type: 'call', id, stage })
    this.ring()
  }

  /** Wakes all waiters for a change. */
  ring(): void {
    for (const watcher of this.#watchers) watcher()
    this.#watchers.clear()
  }

  /** Resolves at the next change, or when `signal` is aborted. Look first, then wait, with nothing in between. */
  changed(signal: AbortSignal): Promise<void> {
    return untilWoken(signal, done => this.#watchers.add(done))
  }
}

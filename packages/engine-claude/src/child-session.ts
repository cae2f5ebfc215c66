/**
 * The engine's state of one session between requests: its child, if any, and the extent of that child's knowledge.
 * Losing it costs a second, never data.
 */
import type { Child } from './child.ts'
import type { ToolNames } from './tool-names.ts'

/** A child with what it was started for. */
export interface HeldChild {
  readonly child: Child
  readonly names: ToolNames
  /** Model, system prompt and tools: a child knows one set of them. */
  readonly settings: string
}

export class ChildSession {
  readonly session: string
  /** Messages of the history when the latest message of the child began. */
  known = 0
  /** Consecutive interrupted messages. */
  cuts = 0
  /** Start of idleness; undefined while it is driven. */
  idleSince: number | undefined
  #held: HeldChild | undefined
  #timer: NodeJS.Timeout | undefined
  /** The child's ids of the latest calls by those of the log: a log never has the same id twice. */
  #ids = new Map<string, string>()

  constructor(session: string) {
    this.session = session
  }

  /** The child, unless it is gone. */
  get held(): HeldChild | undefined {
    return this.#held?.child.isGone ? undefined : this.#held
  }

  get calls(): ReadonlySet<string> {
    return new Set(this.#ids.keys())
  }

  keep(held: HeldChild): void {
    this.drop()
    this.#held = held
  }

  /** Kills the child. Idempotent. */
  drop(): void {
    clearTimeout(this.#timer)
    this.#held?.child.kill()
    this.#held = undefined
    this.#ids = new Map()
  }

  /** A new message begins: the calls of the one before are over. */
  beginMessage(known: number): void {
    this.known = known
    this.#ids = new Map()
  }

  /** Notes a call of the child and returns its id for the log, which must not be one of `used`. */
  nameCall(child_id: string, used: Pick<ReadonlySet<string>, 'has'>): string {
    let id = child_id
    for (let n = 2; used.has(id) || this.#ids.has(id); n++) id = `${child_id}_${n}`
    this.#ids.set(id, child_id)
    return id
  }

  /** The child's id of a call of its latest message; undefined for any other call. */
  childId(call_id: string): string | undefined {
    return this.#ids.get(call_id)
  }

  take(): void {
    clearTimeout(this.#timer)
    this.idleSince = undefined
  }

  /** The child is idle: it is killed after `ms`, unless it is used again. */
  rest(ms: number): void {
    clearTimeout(this.#timer)
    this.idleSince = performance.now()
    this.#timer = setTimeout(() => this.drop(), ms)
    this.#timer.unref()
  }
}

/**
 * The one writer of a session while this process owns it: appends in order, keeps the folded state in step with
 * the log, and merges previews that accumulate while an append is in flight. Inputs of other writers in between
 * are read, never skipped.
 */
import {
  type Append,
  type AppendResult,
  type ClaimedSession,
  evolve,
  initial,
  isPreview,
  type LogReadOptions,
  type Rec,
  type SessionEvent,
  type SessionLog,
  type SessionState,
  type StateSource,
} from '@toolwire/core'
import { mergeDelta } from './merge-delta.ts'

/** Ownership went to another epoch: whatever this writer still wanted to say is void. */
export class FencedError extends Error {
  override readonly name = 'FencedError'
}

const PAGE = 1000
const HIGH_WATER = 512

/** Settings of `Journal.open`. Without `states` the whole log is read. */
export interface JournalOptions {
  /** Once false, nothing stored here is acted upon. */
  readonly holds?: () => boolean
  readonly states?: StateSource | undefined
}

const endsRootTurn = (ev: SessionEvent): boolean =>
  ev.type === 'turn.completed' && ev.agent_run_id === undefined

export type AppendExtra = Pick<Append, 'state' | 'index' | 'releaseIfHead'>

export class Journal {
  readonly session: string
  /** Ids of calls announced under this ownership, by any agent: those of two agents must differ too. */
  readonly callIds = new Set<string>()
  /** Agents that are about to be in the log: calls of one message start theirs at the same time. */
  readonly startingAgents = new Set<string>()
  readonly #log: SessionLog
  readonly #epoch: number
  readonly #signal: AbortSignal
  readonly #holds: () => boolean
  readonly #states: StateSource | undefined
  #state: SessionState = initial()
  /** The record that `state` ends with. */
  #last: Rec | undefined
  /** Called when events that others may have written are in `state`. */
  onRemoteEvents: () => void = () => {}
  #w = 0
  /** Events of the append in flight. */
  #underWay: readonly SessionEvent[] = []
  #pending: SessionEvent[] = []
  #flushing: Promise<void> | undefined
  /** Begins the first append of a flush, which else gathers events for a moment. */
  #startAppend: () => void = () => {}
  /**
   * The append in flight, and the numbers of started and stored appends: a commit waits for its own, not for later
   * ones.
   */
  #round: Promise<void> | undefined
  #taken = 0
  #stored = 0
  /** The release in flight. Appends wait for it. */
  #releasing: Promise<void> | undefined
  #released = false
  #failed: unknown

  private constructor(
    log: SessionLog,
    claimed: ClaimedSession,
    signal: AbortSignal,
    options: JournalOptions,
  ) {
    this.#log = log
    this.session = claimed.session
    this.#epoch = claimed.epoch
    this.#signal = signal
    this.#holds = options.holds ?? (() => true)
    this.#states = options.states
  }

  /** Brings `state` up to the head of the log, from a stored state where there is one. */
  static async open(
    log: SessionLog,
    claimed: ClaimedSession,
    signal: AbortSignal,
    options: JournalOptions = {},
  ): Promise<Journal> {
    const journal = new Journal(log, claimed, signal, options)
    const folded = await options.states?.open(claimed.session)
    if (folded) {
      journal.#state = folded.state
      journal.#last = folded.last
    } else await journal.catchUp()
    return journal
  }

  get state(): SessionState {
    return this.#state
  }

  /** The number of the latest write under this ownership. */
  get w(): number {
    return this.#w
  }

  /**
   * The end of the log once the append in flight is stored, without other writers; a head beyond it means remote
   * events.
   */
  get expected(): number {
    return this.#state.head + this.#underWay.length
  }

  get epoch(): number {
    return this.#epoch
  }

  /**
   * Queues events; they are committed in order, soon. Returns a promise only when the
   * store lags behind, so that a fast model waits for a slow disk instead of filling memory.
   */
  emit(...events: SessionEvent[]): Promise<void> | undefined {
    if (this.#failed !== undefined) throw this.#failed
    // Drop previews that arrive after the release.
    if (this.#released) return undefined
    for (const event of events) {
      const last = this.#pending.at(-1)
      const merged = last && mergeDelta(last, event)
      if (merged) this.#pending[this.#pending.length - 1] = merged
      else this.#pending.push(event)
    }
    this.#flushing ??= this.#flush()
    return this.#pending.length > HIGH_WATER ? this.#flushing : undefined
  }

  /** Queues events and waits until they and all before them are committed and folded. */
  async commit(...events: SessionEvent[]): Promise<void> {
    if (this.#released && events.length > 0) throw new FencedError(`session ${this.session} was given up`)
    void this.emit(...events)
    const mark = this.#taken + (this.#pending.length > 0 ? 1 : 0)
    while (this.#failed === undefined && this.#stored < mark) {
      if (this.#released) throw new FencedError(`session ${this.session} was given up`)
      this.#flushing ??= this.#flush()
      this.#startAppend()
      await (this.#releasing ?? this.#round?.catch(() => {}))
    }
    if (this.#failed !== undefined) throw this.#failed
  }

  /** The state once everything queued, and `events` after it, is stored, without other writers. */
  predictState(...events: readonly SessionEvent[]): SessionState {
    let state = this.#state
    for (const ev of [...this.#underWay, ...this.#pending, ...events])
      state = evolve(state, { seq: state.head + 1, epoch: this.#epoch, ev })
    return state
  }

  /** Releases the session unless an unprocessed input arrived; false then. `isIdle` decides on inputs that were read. */
  async release(
    extra: Omit<AppendExtra, 'releaseIfHead'>,
    isIdle: (state: SessionState) => boolean = () => true,
  ): Promise<boolean> {
    await this.#drain()
    if (!isIdle(this.#state)) return false
    // Events emitted meanwhile queue behind the release instead of sharing its `w`.
    const releasing = this.#release(extra).finally(() => {
      this.#flushing = undefined
      this.#releasing = undefined
    })
    this.#releasing = releasing.then(
      () => {},
      () => {},
    )
    this.#flushing = this.#releasing
    if (await releasing) return true
    await this.catchUp()
    await this.commit()
    return false
  }

  async #drain(): Promise<void> {
    await this.commit()
    while (this.#flushing) await this.#flushing
    if (this.#failed !== undefined) throw this.#failed
  }

  async #release(extra: Omit<AppendExtra, 'releaseIfHead'>): Promise<boolean> {
    const as = { epoch: this.#epoch, w: this.#w + 1 }
    const [answer] = await this.#log.append([
      { session: this.session, events: [], as, releaseIfHead: this.#state.head, ...extra },
    ])
    if (answer && 'conflict' in answer) return false
    this.#released = answer !== undefined && 'head' in answer
    if (this.#released) this.#offer()
    if (this.#released) return true
    throw new FencedError(`session ${this.session} has another owner`)
  }

  /** Reads what others appended. Safe at any time, also beside a commit. */
  async catchUp(how?: LogReadOptions): Promise<void> {
    for (;;) {
      const records = await this.#log.read(this.session, this.#state.head, PAGE, how)
      if (this.#fold(records)) this.onRemoteEvents()
      if (records.length < PAGE) return
    }
  }

  async #flush(): Promise<void> {
    await this.#gather()
    try {
      while (this.#pending.length > 0) {
        const events = this.#pending
        this.#pending = []
        this.#taken += 1
        this.#round = this.#append(events)
        await this.#round
      }
    } catch (error) {
      this.#failed = error
    } finally {
      this.#round = undefined
      this.#flushing = undefined
    }
  }

  /** Lets events of the same step share a commit. */
  #gather(): Promise<void> {
    if (this.#pending.every(event => isPreview(event.type))) return Promise.resolve()
    // The end of a block and the end of its message come with one read of the provider's socket: after all microtasks.
    return new Promise<void>(resolve => {
      this.#startAppend = resolve
      process.nextTick(resolve)
    })
  }

  async #append(events: readonly SessionEvent[]): Promise<void> {
    this.#w += 1
    const write: Append = { session: this.session, events, as: { epoch: this.#epoch, w: this.#w } }
    this.#underWay = events
    let head: number | undefined
    // A full disk or a lost database is waited out: the same write (same `w`) is safe to repeat.
    for (let delay = 50; head === undefined; delay = Math.min(delay * 2, 5000)) {
      try {
        head = this.#headIn(await this.#log.append([write]))
      } catch (error) {
        // Invalid JSON stays invalid: retrying helps only against a full disk or a lost database.
        if (error instanceof FencedError || error instanceof TypeError || this.#signal.aborted) throw error
        await pause(delay, this.#signal)
      }
    }
    this.#underWay = []
    const first = head - events.length + 1
    if (first !== this.#state.head + 1) await this.catchUp()
    else
      events.forEach((ev, i) => {
        this.#last = { seq: first + i, epoch: this.#epoch, ev }
        this.#state = evolve(this.#state, this.#last)
      })
    this.#stored += 1
    if (events.some(endsRootTurn)) this.#offer()
  }

  #headIn([answer]: readonly AppendResult[]): number {
    // A process that was suspended meanwhile must not act on its stored state: other nodes may have continued.
    if (!this.#holds()) throw new FencedError(`session ${this.session} is not ours any longer`)
    if (answer && 'head' in answer) return answer.head
    if (answer && 'dup' in answer) return answer.dup
    throw new FencedError(`session ${this.session} has another owner`)
  }

  /** True if any of them was new. */
  #fold(records: readonly Rec[]): boolean {
    const { head } = this.#state
    for (const rec of records) {
      if (rec.seq !== this.#state.head + 1) continue
      this.#state = evolve(this.#state, rec)
      this.#last = rec
    }
    return this.#state.head > head
  }

  /** Lets the next owner start where this one is. */
  #offer(): void {
    this.#states?.offer(this.session, { last: this.#last, state: this.#state })
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
    function done(): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
  })
}

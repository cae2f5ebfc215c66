/**
 * A session as a store: it reads the log from the start, follows it across lost connections, and publishes
 * immutable snapshots. It never predicts: the effect of an answer is shown when the log has it. It is open as long
 * as it is held.
 */
import type { ContentPart } from '@toolwire/core'
import { applyRecords, emptyView, type SessionView } from '@toolwire/core/view'
import { type ClientTool, ClientTools } from './client-tools.ts'
import type { ConnectionChange } from './follow-frames.ts'
import type { RecordSource } from './follow-records.ts'
import { newKey } from './http.ts'
import type { SendOptions, SendResult, SessionApi } from './session-api.ts'
import { ToolwireError, toError } from './toolwire-error.ts'
import { watchPage } from './watch-page.ts'

export interface Connection {
  /**
   * `idle`: the session is not held, or the page was hidden for a while. `closed`: the server rejected it for
   * good, see `error`.
   */
  readonly state: 'idle' | 'connecting' | 'catching_up' | 'live' | 'reconnecting' | 'offline' | 'closed'
  /** Attempts since the connection was lost. */
  readonly attempt: number
  /** While catching up: records still to be read, if the server reported it. */
  readonly behind?: number
  readonly error?: ToolwireError
}

export interface SessionSnapshot {
  readonly view: SessionView
  readonly connection: Connection
}

export interface LiveSessionOptions {
  readonly id: string
  readonly api: SessionApi
  readonly records: RecordSource
  /** Snapshots are published at most this often. */
  readonly frameMs: number
  /** See ClientOptions. */
  readonly hiddenMs: number
  readonly onError: (error: ToolwireError) => void
}

const IDLE: Connection = { state: 'idle', attempt: 0 }
const LIVE: Connection = { state: 'live', attempt: 0 }
/** A record not older than this is news. */
const FRESH_MS = 1000
/** A long history is drawn when it has been read, or this often. */
const CATCH_UP_MS = 500
/** Silence after which a history of unknown length counts as read. */
const QUIET_MS = 100
/** Time that an unheld session stays open, for holders that return at once. */
const LINGER_MS = 1000

export class LiveSession {
  readonly id: string
  readonly #options: LiveSessionOptions
  readonly #tools: ClientTools
  readonly #listeners = new Set<() => void>()
  #view: SessionView = emptyView()
  /** Id of the last frame read: it names the history as well, which a number does not. */
  #place: string | undefined
  #connection: Connection = IDLE
  #snapshot: SessionSnapshot = { view: this.#view, connection: IDLE }
  #holds = 0
  /** Of those, how many wait for something, whether the page is seen or not. */
  #waiting = 0
  #unwatch: (() => void) | undefined
  #reading: AbortController | undefined
  #publishing: ReturnType<typeof setTimeout> | undefined
  #quiet: ReturnType<typeof setTimeout> | undefined
  /** End of the log when the connection was made; undefined if unknown. */
  #target: number | undefined
  /** The last message that could not be sent, as far as known. */
  #failed: { readonly text: string; readonly key: string } | undefined

  constructor(options: LiveSessionOptions) {
    this.id = options.id
    this.#options = options
    this.#tools = new ClientTools({ session_id: options.id, api: options.api, onError: options.onError })
  }

  /**
   * The latest published snapshot; the same object until listeners are notified. Bound, so it can be passed on.
   */
  readonly getSnapshot = (): SessionSnapshot => this.#snapshot

  /** Opens the session while subscribed. Bound, so it can be passed on. */
  readonly subscribe = (listener: () => void): (() => void) => {
    // A separate function: the same listener may subscribe twice.
    const entry = () => listener()
    this.#listeners.add(entry)
    const release = this.open()
    return () => {
      this.#listeners.delete(entry)
      release()
    }
  }

  /** Holds the session open until the returned function is called. */
  open(): () => void {
    this.#holds += 1
    if (!this.#reading) this.#start()
    let held = true
    return () => {
      if (!held) return
      held = false
      this.#holds -= 1
      if (this.#holds === 0) setTimeout(() => this.#holds === 0 && this.close(), LINGER_MS)
    }
  }

  /** Stops reading and running tools. The next hold opens it again, where it stopped. */
  close(): void {
    this.#unwatch?.()
    this.#unwatch = undefined
    this.#reading?.abort()
    this.#reading = undefined
    clearTimeout(this.#quiet)
    this.#tools.close()
    this.#setConnection(IDLE)
  }

  /** Resolves with the first snapshot for which `test` is true. Holds the session open; throws when it is refused. */
  until(test: (snapshot: SessionSnapshot) => boolean, signal?: AbortSignal): Promise<SessionSnapshot> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const snapshot = this.#snapshot
        const { connection } = snapshot
        if (test(snapshot)) finish(() => resolve(snapshot))
        else if (connection.state === 'closed' && connection.error) finish(() => reject(connection.error))
      }
      const abort = () => finish(() => reject(new ToolwireError('aborted', 'Waiting was given up.')))
      const finish = (settle: () => void) => {
        this.#waiting -= 1
        leave()
        signal?.removeEventListener('abort', abort)
        settle()
      }
      this.#waiting += 1
      const leave = this.subscribe(look)
      signal?.addEventListener('abort', abort, { once: true })
      if (signal?.aborted) abort()
      else look()
    })
  }

  /**
   * Sends a message with the registered client tools. See `send` of the session API. The same message after one that
   * failed has the key of that one: if it did arrive, it is not there twice.
   */
  async send(message: string | readonly ContentPart[], options: SendOptions = {}): Promise<SendResult> {
    this.#wake()
    const tools = [...this.#tools.specs(), ...(options.tools ?? [])]
    const text = JSON.stringify(message)
    const key = options.idempotencyKey ?? (this.#failed?.text === text ? this.#failed.key : newKey())
    const all = { ...options, idempotencyKey: key, ...(tools.length > 0 ? { tools } : {}) }
    try {
      const sent = await this.#options.api.send(this.id, message, all)
      if (this.#failed?.key === key) this.#failed = undefined
      return sent
    } catch (error) {
      this.#failed = { text, key }
      throw error
    }
  }

  /**
   * Lets this page run a tool: pending calls of that name, now or later, are executed and answered.
   * Holds the session open until the returned function is called.
   */
  registerTool(name: string, tool: ClientTool): () => void {
    const remove = this.#tools.register(name, tool)
    const release = this.open()
    this.#publishSoon()
    return () => {
      remove()
      release()
    }
  }

  #start(): void {
    this.#unwatch ??= watchPage(this.#options.hiddenMs, {
      onHidden: () => this.#sleep(),
      onShown: () => this.#wake(),
    })
    const reading = new AbortController()
    this.#reading = reading
    // A retry clears the rejection; it must not be read as the result of the retry.
    if (this.#connection.state === 'closed') {
      this.#connection = { state: 'connecting', attempt: 0 }
      this.#publish()
    }
    void this.#read(reading.signal).catch(error => {
      if (reading.signal.aborted) return
      this.#reading = undefined
      this.#setConnection({ state: 'closed', attempt: 0, error: toError(error) })
    })
  }

  /** Closes the connection unless something runs, waits for this page, or could: browsers have few connections. */
  #sleep(): void {
    const busy = this.#view.phase !== 'idle' || this.#view.queue.length > 0
    if (busy || this.#waiting > 0 || this.#tools.size > 0 || this.#connection.state !== 'live') return
    this.#reading?.abort()
    this.#reading = undefined
    this.#setConnection(IDLE)
  }

  #wake(): void {
    if (this.#holds > 0 && !this.#reading && this.#connection.state === 'idle') this.#start()
  }

  async #read(signal: AbortSignal): Promise<void> {
    const batches = this.#options.records({
      after: this.#place ?? this.#view.head,
      head: this.#view.head,
      follow: true,
      onReset: () => this.#reset(),
      onPlace: id => {
        this.#place = id
      },
      signal,
      onConnection: change => this.#onConnection(change),
    })
    for await (const records of batches) {
      if (signal.aborted) return
      this.#view = applyRecords(this.#view, records)
      this.#expectLive(records.at(-1)?.ev.ts)
      this.#publishSoon()
    }
  }

  /** The log is another one: what is shown must not be mixed with what follows. */
  #reset(): void {
    this.#view = emptyView()
    this.#place = undefined
    this.#publishSoon()
  }

  #onConnection(change: ConnectionChange): void {
    if (change.type === 'open') {
      this.#target = change.head
      this.#connection = this.#catchingUp()
      this.#publish()
      this.#expectLive()
      return
    }
    clearTimeout(this.#quiet)
    this.#quiet = undefined
    const { attempt, error } = change
    const offline = globalThis.navigator?.onLine === false
    const state = attempt === 0 && !error ? 'connecting' : offline ? 'offline' : 'reconnecting'
    this.#setConnection({ state, attempt, ...(error ? { error } : {}) })
  }

  /** Live from the record that was the last when the connection was made; until the connection is lost. */
  #expectLive(ts?: string): void {
    if (this.#connection.state !== 'catching_up') return
    if (this.#target === undefined) this.#expectQuiet(ts)
    else if (this.#view.head < this.#target) this.#connection = this.#catchingUp()
    else this.#goLive()
  }

  /** Without a known end, the first silence or the first fresh record means that the reader has caught up. */
  #expectQuiet(ts?: string): void {
    clearTimeout(this.#quiet)
    const fresh = ts !== undefined && Date.now() - Date.parse(ts) < FRESH_MS
    if (fresh) this.#goLive()
    else this.#quiet = setTimeout(() => this.#goLive(), QUIET_MS)
  }

  #goLive(): void {
    this.#connection = LIVE
    this.#publish()
  }

  #catchingUp(): Connection {
    const behind = this.#target === undefined ? undefined : Math.max(0, this.#target - this.#view.head)
    return { state: 'catching_up', attempt: 0, ...(behind === undefined ? {} : { behind }) }
  }

  #setConnection(connection: Connection): void {
    this.#connection = connection
    this.#publishSoon()
  }

  #publishSoon(): void {
    const { frameMs } = this.#options
    const ms = this.#connection.state === 'catching_up' ? Math.max(frameMs, CATCH_UP_MS) : frameMs
    this.#publishing ??= setTimeout(() => this.#publish(), ms)
  }

  #publish(): void {
    clearTimeout(this.#publishing)
    this.#publishing = undefined
    this.#snapshot = { view: this.#view, connection: this.#connection }
    if (this.#reading) this.#tools.look(this.#view)
    for (const listener of this.#listeners) listener()
  }
}

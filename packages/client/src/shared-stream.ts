/**
 * One stream for all tabs that show the same session: browsers allow six connections per server across all tabs.
 * The tab that holds the session's lock reads and broadcasts; when it closes, the next one reads from its own
 * position, so nothing is missed or repeated. A tab that is behind, or is sent large records, catches up over a
 * temporary connection: a channel copies its data synchronously. Without locks or channels (no TLS), or if the
 * reading tab does not respond, a tab reads by itself.
 */
import { isLarge } from '@toolwire/core/parts'
import type { ViewRecord } from '@toolwire/core/view'
import type { ConnectionChange } from './follow-frames.ts'
import type { RecordOptions, RecordSource } from './follow-records.ts'
import { ToolwireError } from './toolwire-error.ts'

/** Response timeout of the reading tab. */
const ANSWER_MS = 2000
/** After this long without news the others ask whether it is still there. */
const QUIET_MS = 10_000

/** A connection change in a form that channels can carry: they lose custom fields of errors. */
interface SharedConnection {
  readonly change: ConnectionChange
  readonly error?: Pick<ToolwireError, 'code' | 'message' | 'status' | 'retryable'>
}

type Message =
  | { readonly type: 'hello' }
  /** Where the reading tab is, and how its connection stands. */
  | {
      readonly type: 'here'
      readonly head: number
      readonly id: string | undefined
      readonly connection: SharedConnection | undefined
    }
  | { readonly type: 'records'; readonly records: readonly ViewRecord[] }
  /** There are records up to here which are too large to be told. */
  | { readonly type: 'grown'; readonly head: number }
  | { readonly type: 'place'; readonly id: string }
  | { readonly type: 'reset' }
  | { readonly type: 'connection'; readonly connection: SharedConnection }
  /** Never sent: the lock is ours, or the reader has gone. */
  | { readonly type: 'elected' }
  | { readonly type: 'over' }

/** The position of one reader. */
interface ReaderPosition {
  head: number
  id: string | undefined
  /** The reading tab's connection state when last reported. */
  said?: string | undefined
}

interface Tab {
  readonly records: RecordSource
  readonly options: RecordOptions
  readonly channel: BroadcastChannel
  readonly inbox: Inbox
  readonly at: ReaderPosition
}

/**
 * For `createClient({ share: shareStreams })`. Readers with the same `about` share; others do not. Every reader
 * gets each record once and in order.
 */
export function shareStreams(records: RecordSource, about: () => string): RecordSource {
  const locks = globalThis.navigator?.locks
  if (!locks || !globalThis.BroadcastChannel || !globalThis.crypto?.subtle) return records
  return options => (options.follow === false ? records(options) : share(records, options, { locks, about }))
}

async function* share(
  records: RecordSource,
  options: RecordOptions,
  { locks, about }: { readonly locks: LockManager; readonly about: () => string },
): AsyncGenerator<readonly ViewRecord[]> {
  const name = await nameOf(about())
  const inbox = new Inbox()
  const office = new AbortController()
  const channel = new BroadcastChannel(name)
  channel.onmessage = ({ data }) => inbox.push(data as Message)
  const { after, head = typeof after === 'number' ? after : 0 } = options
  const at: ReaderPosition = { head, id: typeof after === 'string' ? after : undefined }
  const tab: Tab = { records, options, channel, inbox, at }
  const over = () => inbox.push({ type: 'over' })
  options.signal?.addEventListener('abort', over, { once: true })
  if (options.signal?.aborted) over()
  // Ends when the lock is taken away from the queue, or given back.
  const held = locks
    .request(name, { signal: office.signal }, () => {
      inbox.push({ type: 'elected' })
      return new Promise<void>(resolve =>
        office.signal.addEventListener('abort', () => resolve(), { once: true }),
      )
    })
    .catch(() => {})
  try {
    const end = yield* followLeader(tab)
    if (end === 'elected') yield* readForAllTabs(tab)
    if (end !== 'alone') return
    channel.onmessage = null
    office.abort()
    yield* own(tab, {})
  } finally {
    options.signal?.removeEventListener('abort', over)
    office.abort()
    channel.close()
    await held
  }
}

const HELLO: Message = { type: 'hello' }

/** Listens to the reading tab. Returns when this one shall read, for all or for itself, or when it is over. */
async function* followLeader(tab: Tab): AsyncGenerator<readonly ViewRecord[], 'elected' | 'alone' | 'over'> {
  const { channel, inbox, options } = tab
  options.onConnection?.({ type: 'connecting', attempt: 0 })
  channel.postMessage(HELLO)
  for (let asked = true; ; ) {
    const message = await inbox.next(asked ? ANSWER_MS : QUIET_MS)
    if (!message && asked) return 'alone'
    if (message?.type === 'elected' || message?.type === 'over') return message.type
    if (!message) channel.postMessage(HELLO)
    // Another tab's question says nothing about who answers.
    asked = !message || (asked && message.type === 'hello')
    if (message) yield* receive(tab, message)
  }
}

async function* receive(tab: Tab, message: Message): AsyncGenerator<readonly ViewRecord[]> {
  if ((message.type === 'here' || message.type === 'grown') && message.head > tab.at.head)
    yield* own(tab, { until: message.head })
  if (message.type === 'records') yield* take(tab, message.records)
  else handleControl(tab, message)
}

async function* take(tab: Tab, told: readonly ViewRecord[]): AsyncGenerator<readonly ViewRecord[]> {
  const first = told[0]?.seq ?? 0
  if (first > tab.at.head + 1) yield* own(tab, { until: first - 1 })
  const fresh = advance(tab.at, told)
  if (fresh.length > 0) yield fresh
}

/** Handles messages other than records. */
function handleControl(tab: Tab, message: Message): void {
  const { options, at } = tab
  if (message.type === 'reset') begin(at, options)
  if (message.type === 'place' || (message.type === 'here' && message.head === at.head))
    settle(tab, message.id)
  if (message.type !== 'here' && message.type !== 'connection') return
  const said = JSON.stringify(message.connection)
  if (!message.connection || said === at.said) return
  at.said = said
  options.onConnection?.(revive(message.connection))
}

/** Everything up to this frame has been taken in. */
function settle({ at, options }: Tab, id: string | undefined): void {
  if (id === undefined) return
  at.id = id
  options.onPlace?.(id)
}

/** Reads for all. */
async function* readForAllTabs(tab: Tab): AsyncGenerator<readonly ViewRecord[]> {
  const { channel, options, at } = tab
  const say = (message: Message): void => channel.postMessage(message)
  let connection: SharedConnection | undefined
  const here = (): void => say({ type: 'here', head: at.head, id: at.id, connection })
  channel.onmessage = ({ data }) => {
    if ((data as Message).type === 'hello') here()
  }
  const records = tab.records({
    ...options,
    after: at.id ?? at.head,
    onReset: () => {
      say({ type: 'reset' })
      begin(at, options)
    },
    onPlace: id => {
      say({ type: 'place', id })
      settle(tab, id)
    },
    onConnection: change => {
      connection = tell(change)
      say({ type: 'connection', connection })
      options.onConnection?.(change)
    },
  })
  here()
  for await (const batch of records) {
    const fresh = advance(at, batch)
    if (fresh.length === 0) continue
    say(isLarge(fresh) ? { type: 'grown', head: at.head } : { type: 'records', records: fresh })
    yield fresh
  }
}

/** Reads for this tab alone, to a record or for good. */
async function* own(
  tab: Tab,
  { until = Number.POSITIVE_INFINITY }: { readonly until?: number },
): AsyncGenerator<readonly ViewRecord[]> {
  const { records, options, at } = tab
  const batches = records({
    ...options,
    after: at.id ?? at.head,
    onReset: () => begin(at, options),
    onPlace: id => settle(tab, id),
  })
  for await (const batch of batches) {
    const fresh = advance(at, batch)
    if (fresh.length > 0) yield fresh
    if (at.head >= until) return
  }
}

/** The log is another one. */
function begin(at: ReaderPosition, options: RecordOptions): void {
  at.head = 0
  at.id = undefined
  options.onReset?.()
}

/** Those that this reader has not had. */
function advance(at: ReaderPosition, records: readonly ViewRecord[]): readonly ViewRecord[] {
  const fresh = records.filter(({ seq }) => seq > at.head)
  at.head = fresh.at(-1)?.seq ?? at.head
  return fresh
}

function tell(change: ConnectionChange): SharedConnection {
  if (change.type === 'open' || !change.error) return { change }
  const { code, message, status, retryable } = change.error
  return { change: { ...change, error: undefined }, error: { code, message, status, retryable } }
}

function revive({ change, error }: SharedConnection): ConnectionChange {
  if (change.type === 'open' || !error) return change
  return { ...change, error: new ToolwireError(error.code, error.message, error) }
}

/** Says nothing of what it was made from: names are seen by every script of the page, keys need not be. */
async function nameOf(about: string): Promise<string> {
  const digest = await globalThis.crypto.subtle.digest('SHA-256', new TextEncoder().encode(about))
  return `toolwire:${[...new Uint8Array(digest)].map(byte => byte.toString(16).padStart(2, '0')).join('')}`
}

/** Messages in order, one reader. */
class Inbox {
  readonly #messages: Message[] = []
  #wake: () => void = () => {}

  push(message: Message): void {
    this.#messages.push(message)
    this.#wake()
  }

  /** Undefined after this timeout. */
  async next(ms: number): Promise<Message | undefined> {
    if (this.#messages.length === 0)
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, ms)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    return this.#messages.shift()
  }
}

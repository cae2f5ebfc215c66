/**
 * The store that forgets: everything in maps, gone with the process. It is also the model
 * that the SQLite store is tested against, so it stays as plain as the contract itself.
 */
import type {
  Append,
  AppendResult,
  ClaimedSession,
  ListQuery,
  Page,
  Rec,
  Seq,
  SessionRow,
  Store,
  StoreStats,
} from '@toolwire/core'
import { AppError } from '@toolwire/core'
import {
  applyAppend,
  checkAppend,
  type Lookup,
  newStanding,
  type SessionHead,
  takeOver,
} from '../append-rules.ts'
import { createHints } from '../hints.ts'
import { decodeListCursor, encodeListCursor, type ListPlace } from '../list-cursor.ts'
import { hasPhrase, toPhrases, toTerms } from '../search-terms.ts'
import { searchTextOf } from '../search-text.ts'

export interface MemoryStoreOptions {
  /** Milliseconds since 1970; the system clock by default. */
  readonly now?: () => number
}

interface Session extends SessionHead {
  readonly id: string
  readonly createdAt: number
  readonly records: Rec[]
  readonly keys: Map<string, Seq>
  readonly texts: (readonly string[])[]
  labels: ReadonlyMap<string, string>
  title: string | null
}

/** An in-memory store. Events are kept by reference: callers must not change them after an append. */
export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  return new MemoryStore(options.now ?? Date.now)
}

class MemoryStore implements Store {
  readonly #now: () => number
  readonly #sessions = new Map<string, Session>()
  readonly #deleted = new Set<string>()
  readonly #hints = createHints()
  #closed = false

  constructor(now: () => number) {
    this.#now = now
  }

  async append(writes: readonly Append[]): Promise<readonly AppendResult[]> {
    this.#mustBeOpen()
    return writes.map(write => this.#appendOne(write))
  }

  async read(session: string, after: Seq, max: number): Promise<readonly Rec[]> {
    this.#mustBeOpen()
    const from = Math.max(0, after)
    return this.#sessions.get(session)?.records.slice(from, from + Math.max(0, max)) ?? []
  }

  async claim(request: Parameters<Store['claim']>[0]): Promise<readonly ClaimedSession[]> {
    this.#mustBeOpen()
    const now = this.#now()
    const free = (session: Session): boolean => session.owner !== request.node
    const waits = (session: Session): boolean =>
      session.state === 'running' || (session.wakeAt !== null && session.wakeAt <= now)
    const candidates = [...this.#sessions.values()].filter(session =>
      request.session === undefined
        ? free(session) && waits(session)
        : free(session) && session.id === request.session,
    )
    candidates.sort((a, b) => a.updatedAt - b.updatedAt || compareIds(a.id, b.id))
    return candidates.slice(0, request.max).map(session => {
      takeOver(session, request.node, now)
      return { session: session.id, epoch: session.epoch, head: session.head }
    })
  }

  async watch(hint: (session: string, head: Seq) => void): Promise<() => void> {
    this.#mustBeOpen()
    return this.#hints.add(hint)
  }

  async list(query: ListQuery): Promise<Page<SessionRow>> {
    this.#mustBeOpen()
    const place = query.after === undefined ? undefined : decodeListCursor(query.after)
    const found = [...this.#sessions.values()].filter(session => matches(session, query))
    found.sort((a, b) => comparePlaces(a, b))
    const rest = place === undefined ? found : found.filter(session => comparePlaces(place, session) < 0)
    const items = rest.slice(0, query.limit)
    const last = items.at(-1)
    return {
      items: items.map(toRow),
      next: last && rest.length > items.length ? encodeListCursor(last) : null,
    }
  }

  async remove(session: string): Promise<boolean> {
    this.#mustBeOpen()
    if (!this.#sessions.delete(session)) return false
    this.#deleted.add(session)
    this.#hints.send(session, 0)
    return true
  }

  async prune(options: { readonly before: number; readonly dryRun?: boolean }): Promise<number> {
    this.#mustBeOpen()
    const old = [...this.#sessions.values()].filter(
      session => session.state === 'idle' && session.updatedAt < options.before,
    )
    if (options.dryRun !== true) for (const session of old) await this.remove(session.id)
    return old.length
  }

  async stats(): Promise<StoreStats> {
    this.#mustBeOpen()
    const byState: Record<string, number> = {}
    let events = 0
    let bytes = 0
    for (const session of this.#sessions.values()) {
      byState[session.state] = (byState[session.state] ?? 0) + 1
      events += session.head
      for (const rec of session.records) bytes += JSON.stringify(rec.ev).length
    }
    return { sessions: this.#sessions.size, events, rows: events, bytes, byState }
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#hints.clear()
  }

  #appendOne(write: Append): AppendResult {
    const found = this.#find(write.session)
    const known = typeof found === 'string' ? undefined : found
    const refusal = checkAppend(found, write, key => known?.keys.get(key))
    if (refusal) return refusal
    const now = this.#now()
    const session = known ?? this.#create(write.session, now)
    const before = session.head
    const first = applyAppend(session, write, now)
    for (const [i, ev] of write.events.entries())
      session.records.push({ seq: before + 1 + i, epoch: session.epoch, ev })
    if (write.key !== undefined) session.keys.set(write.key, first)
    index(session, write)
    this.#hints.send(session.id, session.head)
    return { head: session.head }
  }

  #find(id: string): Lookup<Session> {
    return this.#sessions.get(id) ?? (this.#deleted.has(id) ? 'deleted' : 'never')
  }

  #create(id: string, now: number): Session {
    const session: Session = {
      ...newStanding(now),
      id,
      createdAt: now,
      records: [],
      keys: new Map(),
      texts: [],
      labels: new Map(),
      title: null,
    }
    this.#sessions.set(id, session)
    return session
  }

  #mustBeOpen(): void {
    if (this.#closed) throw new AppError('shutting_down', 'The store is closed.')
  }
}

function index(session: Session, write: Append): void {
  const { index: fields } = write
  if (fields?.title !== undefined) session.title = fields.title
  const text = searchTextOf(write)
  if (text !== undefined) session.texts.push(toTerms(text))
  if (fields?.labels) {
    const labels = new Map(session.labels)
    for (const [key, value] of Object.entries(fields.labels)) {
      if (value === null) labels.delete(key)
      else labels.set(key, value)
    }
    session.labels = labels
  }
}

function matches(session: Session, query: ListQuery): boolean {
  if (query.state !== undefined && session.state !== query.state) return false
  if (query.ids && !query.ids.includes(session.id)) return false
  if (query.idPrefix !== undefined && !session.id.startsWith(query.idPrefix)) return false
  if (
    query.labels &&
    !Object.entries(query.labels).every(([key, value]) => session.labels.get(key) === value)
  )
    return false
  if (query.text === undefined) return true
  const texts = [toTerms(session.title ?? ''), ...session.texts]
  return toPhrases(query.text).every(phrase => texts.some(terms => hasPhrase(terms, phrase)))
}

const compareIds = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
const comparePlaces = (a: ListPlace, b: ListPlace): number =>
  b.updatedAt - a.updatedAt || compareIds(a.id, b.id)

function toRow(session: Session): SessionRow {
  const { id, head, epoch, owner, state, title, wakeAt, createdAt, updatedAt } = session
  const labels = Object.fromEntries(session.labels)
  return { id, head, epoch, owner, state, title, labels, wakeAt, createdAt, updatedAt }
}

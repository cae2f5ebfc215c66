/**
 * One flush in the making: writes judged one after another, gathered per session into one row
 * and, where more than the head moves, one new standing. Nothing here touches the database but key lookups.
 * A flush to the database takes along what the preview files hold of its sessions.
 */
import { type Append, type Appended, isPreview, type Rec, type Seq, type SessionEvent } from '@toolwire/core'
import { admit, isLight, refuse } from '../judge.ts'
import type { Deferred } from './deferred.ts'
import { joinEntries } from './join-entries.ts'
import type { NamedEntry } from './preview-file.ts'
import type { ChunkWrite, Flush, SessionWrite } from './protocol.ts'
import type { Live, Reader } from './reader.ts'
import type { RecentEntry } from './recent.ts'
import type { SessionCache } from './session-cache.ts'
import type { Unsettled } from './unsettled.ts'

/** What one session gets in this flush. Its epoch cannot change meanwhile: claims never share a flush with writes. */
interface Part {
  readonly live: Live
  readonly first: Seq
  events: readonly SessionEvent[]
  /** The events as one JSON array. */
  json: string
  write: SessionWrite | undefined
}

export interface Committed {
  readonly id: string
  readonly num: number
  readonly head: Seq
  readonly records: readonly Rec[]
  readonly size: number
}

export interface Batch {
  /** Judges one write; `json` is its events. What it answers holds once the batch is committed. */
  readonly add: (write: Append, json: string, now: number) => Appended
  /** The flush that commits the batch, or undefined when there is nothing to write. What its sessions deferred goes along. */
  readonly toRequest: (unsettled: Unsettled, deferred: Deferred) => Flush | undefined
  /** The events that were written of each session, for a batch that no flush commits. */
  readonly toEntries: () => readonly NamedEntry[]
  /** The sessions that were given up, for a batch that no flush commits. */
  readonly releases: () => readonly { readonly live: Live; readonly labels: SessionWrite['labels'] }[]
  /** What was committed, per session. */
  readonly committed: () => readonly Committed[]
  /** Ids of the sessions whose standing in memory is wrong if the batch fails. */
  readonly touched: () => readonly string[]
}

export function createBatch(cache: SessionCache, reader: Reader): Batch {
  const parts = new Map<string, Part>()
  let durable = false

  function add(write: Append, json: string, now: number): Appended {
    const found = cache.find(write.session)
    const known = typeof found === 'string' ? undefined : found
    const refusal = refuse(found, write, key => known && seqOfKey(known, key))
    if (refusal) return refusal
    const live = known ?? cache.create(write.session, now)
    const part = parts.get(live.id) ?? startPart(live)
    const firstSeq = admit(live, write, now)
    addEvents(part, write.events, json)
    if (!isLight(write)) {
      part.write ??= startWrite(live, known ? undefined : now)
      addFields(part.write, write, firstSeq)
      durable ||= isFact(write)
    }
    return { head: live.head }
  }

  function seqOfKey(live: Live, key: string): Seq | undefined {
    const own = parts.get(live.id)?.write?.keys.find(known => known.key === key)
    return own ? own.seq : reader.seqOfKey(live.num, key)
  }

  function startPart(live: Live): Part {
    const part: Part = { live, first: live.head + 1, events: [], json: '[]', write: undefined }
    parts.set(live.id, part)
    return part
  }

  function toEntry({ live, first, events, json }: Part): NamedEntry {
    const { id, num, epoch, wseq } = live
    return { id, session: num, seq: first, n: events.length, epoch, w: wseq, json }
  }
  const toEntries = (): readonly NamedEntry[] =>
    [...parts.values()].filter(({ events }) => events.length > 0).map(toEntry)
  const releases: Batch['releases'] = () =>
    [...parts.values()].flatMap(({ live, write }) => (write ? [{ live, labels: write.labels }] : []))

  function toRequest(unsettled: Unsettled, deferred: Deferred): Flush | undefined {
    if (parts.size === 0) return undefined
    const chunks: ChunkWrite[] = []
    const sessions: SessionWrite[] = []
    for (const part of parts.values()) {
      const own = part.events.length > 0 ? [toEntry(part)] : []
      chunks.push(...toChunks([...unsettled.of(part.live.id), ...own]))
      const waiting = deferred.of(part.live.id)
      if (waiting) {
        part.write ??= startWrite(part.live, undefined)
        part.write.labels = { ...waiting.labels, ...part.write.labels }
      }
      if (part.write) sessions.push(Object.assign(part.write, toStanding(part.live)))
    }
    return { type: 'flush', durable, chunks, sessions }
  }

  function committed(): readonly Committed[] {
    const out: Committed[] = []
    for (const { live, first, events, json } of parts.values()) {
      const { id, num, head, epoch } = live
      const records = events.map((ev, i) => ({ seq: first + i, epoch, ev }))
      out.push({ id, num, head, records, size: json.length })
    }
    return out
  }

  return { add, toRequest, toEntries, releases, committed, touched: () => [...parts.keys()] }
}

/** Rows of `chunk` for what one session wrote, in order. */
export const toChunks = (entries: readonly RecentEntry[]): readonly ChunkWrite[] =>
  joinEntries(entries).map(({ session, seq, n, epoch, w, json }) => ({ session, seq, n, epoch, w, json }))

/** The standing of a session as the writer stores it. */
export function toStanding(live: Live): Omit<SessionWrite, 'num' | 'created' | 'texts' | 'keys'> {
  const { head, epoch, wseq, whead, owner, state, wakeAt, updatedAt } = live
  return { head, epoch, wseq, whead, owner, state, wakeAt, updatedAt }
}

/**
 * Previews may be lost with the power, and so may what only accompanies them and an owner's release: the
 * next start finds the session as if it still ran, sees that nothing is to be done, and releases it again.
 */
function isFact(write: Append): boolean {
  if (write.key !== undefined) return true
  if (write.events.length === 0) return write.releaseIfHead === undefined
  return write.events.some(ev => !isPreview(ev.type))
}

function addEvents(part: Part, events: readonly SessionEvent[], json: string): void {
  if (events.length === 0) return
  if (part.events.length === 0) {
    part.events = events
    part.json = json
    return
  }
  part.events = [...part.events, ...events]
  part.json = `${part.json.slice(0, -1)},${json.slice(1)}`
}

function startWrite(live: Live, createdAt: number | undefined): SessionWrite {
  const created = createdAt === undefined ? {} : { created: { id: live.id, at: createdAt } }
  return { num: live.num, ...created, ...toStanding(live), texts: [], keys: [] }
}

function addFields(target: SessionWrite, write: Append, firstSeq: Seq): void {
  if (write.key !== undefined) target.keys.push({ key: write.key, seq: firstSeq })
  if (!write.index) return
  const { title, labels, text } = write.index
  if (title !== undefined) target.title = title
  if (text !== undefined) target.texts.push(text)
  if (labels) target.labels = { ...target.labels, ...labels }
}

/**
 * One flush in the making: writes judged one after another, gathered per session into one row
 * and, where more than the head moves, one new standing. Nothing here touches the database but key lookups.
 * A flush to the database takes along what the preview files hold of its sessions.
 */
import {
  type Append,
  type AppendResult,
  isPreview,
  type Rec,
  type Seq,
  type SessionEvent,
} from '@toolwire/core'
import { applyAppend, checkAppend, isPreviewOnly } from '../append-rules.ts'
import type { EventRow } from '../event-rows.ts'
import { searchTextOf } from '../search-text.ts'
import type { DeferredClaims } from './deferred.ts'
import { joinEntries } from './join-entries.ts'
import type { NamedEntry } from './preview-file.ts'
import type { ChunkWrite, Flush, SessionWrite } from './protocol.ts'
import type { Live, Reader } from './reader.ts'
import type { RecentEntry } from './recent.ts'
import type { SessionCache } from './session-cache.ts'
import type { UnflushedPreviews } from './unsettled.ts'

/** One session's part of this flush. Its epoch cannot change meanwhile: claims never share a flush with writes. */
interface Part {
  readonly live: Live
  readonly first: Seq
  readonly events: SessionEvent[]
  readonly rows: EventRow[]
  write: SessionWrite | undefined
}

export interface CommitResult {
  readonly id: string
  readonly num: number
  readonly head: Seq
  readonly records: readonly Rec[]
  readonly size: number
}

export interface Batch {
  /** Judges one write; `rows` are its events. What it answers holds once the batch is committed. */
  readonly add: (write: Append, rows: readonly EventRow[], now: number) => AppendResult
  /** The flush that commits the batch, or undefined when there is nothing to write. What its sessions deferred goes along. */
  readonly toRequest: (unsettled: UnflushedPreviews, deferred: DeferredClaims) => Flush | undefined
  /** The events that were written of each session, for a batch that no flush commits. */
  readonly toEntries: () => readonly NamedEntry[]
  /** The sessions that were given up, for a batch that no flush commits. */
  readonly releases: () => readonly { readonly live: Live; readonly labels: SessionWrite['labels'] }[]
  /** The commit result per session. */
  readonly committed: () => readonly CommitResult[]
  /** Ids of the sessions whose standing in memory is wrong if the batch fails. */
  readonly touched: () => readonly string[]
}

export function createBatch(cache: SessionCache, reader: Reader): Batch {
  const parts = new Map<string, Part>()
  let durable = false

  function add(write: Append, rows: readonly EventRow[], now: number): AppendResult {
    const found = cache.find(write.session)
    const known = typeof found === 'string' ? undefined : found
    const refusal = checkAppend(found, write, key => known && seqOfKey(known, key))
    if (refusal) return refusal
    const live = known ?? cache.create(write.session, now)
    const part = parts.get(live.id) ?? startPart(live)
    const firstSeq = applyAppend(live, write, now)
    for (const event of write.events) part.events.push(event)
    part.rows.push(...rows)
    if (!isPreviewOnly(write)) {
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
    const part: Part = { live, first: live.head + 1, events: [], rows: [], write: undefined }
    parts.set(live.id, part)
    return part
  }

  function entriesOf({ live, first, rows }: Part): readonly NamedEntry[] {
    const { id, num, epoch, wseq } = live
    let seq = first
    return rows.map(({ n, json }) => {
      const entry = { id, session: num, seq, n, epoch, w: wseq, json }
      seq += n
      return entry
    })
  }
  const toEntries = (): readonly NamedEntry[] =>
    [...parts.values()].flatMap(part => joinEntries(entriesOf(part)))
  const releases: Batch['releases'] = () =>
    [...parts.values()].flatMap(({ live, write }) => (write ? [{ live, labels: write.labels }] : []))

  function toRequest(unsettled: UnflushedPreviews, deferred: DeferredClaims): Flush | undefined {
    if (parts.size === 0) return undefined
    const chunks: ChunkWrite[] = []
    const sessions: SessionWrite[] = []
    for (const part of parts.values()) {
      chunks.push(...toChunks([...unsettled.of(part.live.id), ...entriesOf(part)]))
      const waiting = deferred.of(part.live.id)
      if (waiting) {
        part.write ??= startWrite(part.live, undefined)
        part.write.labels = { ...waiting.labels, ...part.write.labels }
      }
      if (part.write) sessions.push(Object.assign(part.write, toStanding(part.live)))
    }
    return { type: 'flush', durable, chunks, sessions }
  }

  function committed(): readonly CommitResult[] {
    const out: CommitResult[] = []
    for (const { live, first, events, rows } of parts.values()) {
      const { id, num, head, epoch } = live
      const records = events.map((ev, i) => ({ seq: first + i, epoch, ev }))
      out.push({ id, num, head, records, size: rows.reduce((sum, { json }) => sum + json.length, 0) })
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

function startWrite(live: Live, createdAt: number | undefined): SessionWrite {
  const created = createdAt === undefined ? {} : { created: { id: live.id, at: createdAt } }
  return { num: live.num, ...created, ...toStanding(live), texts: [], keys: [] }
}

function addFields(target: SessionWrite, write: Append, firstSeq: Seq): void {
  if (write.key !== undefined) target.keys.push({ key: write.key, seq: firstSeq })
  const text = searchTextOf(write)
  if (text !== undefined) target.texts.push(text)
  if (!write.index) return
  const { title, labels } = write.index
  if (title !== undefined) target.title = title
  if (labels) target.labels = { ...target.labels, ...labels }
}

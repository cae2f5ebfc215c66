/**
 * The way of owners' previews and releases: judged, written to the preview files or kept in memory, and published
 * within one turn of the event loop, on this thread. From there they are settled: copied to the database, many at a time.
 */
import { AppError, type Seq } from '@toolwire/core'
import { type AppendJob, judgeJobs, refuseJobs } from './append-job.ts'
import { type CommitResult, createBatch, toChunks } from './batch.ts'
import type { DeferredClaims } from './deferred.ts'
import { collectDeferredWrites } from './deferred-writes.ts'
import type { NamedEntry, PreviewFile } from './preview-file.ts'
import type { ChunkWrite } from './protocol.ts'
import type { Reader } from './reader.ts'
import type { SessionCache } from './session-cache.ts'
import type { UnflushedPreviews } from './unsettled.ts'
import type { WriterClient } from './writer-client.ts'

export interface PreviewLane {
  /** Queues an append that is nothing but owners' previews and releases. */
  readonly add: (job: AppendJob) => void
  /** True if the session has queued entries. */
  readonly holds: (session: string) => boolean
  /** Stores, publishes and answers what is queued. Not while a job that wants to be alone runs. */
  readonly flush: () => void
  /** Copies a piece of what is stored so far to the database, and asks for the next; one that fails is tried again later. Never rejects. */
  readonly settle: () => Promise<void>
  /** Copies everything at once; rejects with what the writer throws. */
  readonly settleAll: () => Promise<void>
}

export interface PreviewLaneParts {
  readonly cache: SessionCache
  readonly reader: Reader
  readonly writer: WriterClient
  readonly previews: PreviewFile
  readonly unsettled: UnflushedPreviews
  readonly deferred: DeferredClaims
  readonly maxBytes: number | undefined
  readonly publish: (committed: readonly CommitResult[]) => void
}

/** Size of the preview files above which they are settled: this much is read again after a kill. */
const SETTLE_BYTES = 1024 * 1024
/** Size of one copy transaction: a fact waits no longer for it than for a few other facts. */
const PIECE_CHARACTERS = 128 * 1024

/** `ask` is called with `settle` when it is time for that. */
export function createPreviewLane(
  parts: PreviewLaneParts,
  ask: (settle: () => Promise<void>) => void,
): PreviewLane {
  const { cache, reader, writer, previews, unsettled, deferred, publish } = parts
  let queue: AppendJob[] = []
  let limit = SETTLE_BYTES
  let asked = false
  /** The copy in progress: remaining sessions, and the callback for its end. */
  let sealed: { readonly ids: string[]; readonly done: () => void } | undefined

  function store(entries: readonly NamedEntry[]): void {
    if (entries.length === 0) return
    mustFit(parts, entries)
    try {
      previews.append(entries)
    } catch (error) {
      throw toAppError(error)
    }
    for (const { id, ...entry } of entries) unsettled.add(id, entry)
  }
  function flush(): void {
    if (queue.length === 0) return
    const jobs = queue
    queue = []
    const batch = createBatch(cache, reader)
    try {
      const answers = judgeJobs(batch, jobs)
      store(batch.toEntries())
      for (const { live, labels } of batch.releases()) deferred.put(live, labels)
      publish(batch.committed())
      for (const [i, job] of jobs.entries()) job.resolve(answers[i] ?? [])
    } catch (error) {
      refuseJobs(jobs, batch, cache, error)
    }
    if (!asked && previews.size() > limit) again()
  }
  /** One piece, so that whatever else is to be written gets in between. */
  async function settle(): Promise<void> {
    asked = false
    if (!sealed && previews.size() <= limit) return
    sealed ??= { ids: idsInOrder(unsettled), done: previews.seal() }
    try {
      await copy(sealed.ids)
      if (sealed.ids.length > 0) return again()
      sealed.done()
      sealed = undefined
      limit = SETTLE_BYTES
    } catch {
      // They are safe where they are; a full disk may have room later.
      limit = previews.size() * 2
    }
  }
  function again(): void {
    asked = true
    ask(settle)
  }
  /** Copies what the first of these sessions have, and drops them from the list. */
  async function copy(ids: string[]): Promise<void> {
    let count = 0
    let characters = 0
    const chunks: ChunkWrite[] = []
    const ends: (readonly [id: string, end: Seq])[] = []
    for (const id of ids) {
      if (characters > PIECE_CHARACTERS) break
      count += 1
      const entries = unsettled.of(id)
      for (const { json } of entries) characters += json.length
      chunks.push(...toChunks(entries))
      ends.push([id, unsettled.headOf(id) ?? 0])
    }
    if (chunks.length > 0) await writer.request({ type: 'flush', durable: false, chunks, sessions: [] })
    for (const [id, end] of ends) unsettled.settle(id, end)
    ids.splice(0, count)
  }
  async function settleAll(): Promise<void> {
    const done = previews.seal()
    const all = idsInOrder(unsettled).map(id => [id, [...unsettled.of(id)]] as const)
    const chunks = all.flatMap(([, entries]) => toChunks(entries))
    const { sessions, done: told } = collectDeferredWrites(parts)
    if (chunks.length + sessions.length > 0)
      await writer.request({ type: 'flush', durable: false, chunks, sessions })
    told()
    for (const [id, entries] of all) {
      const last = entries.at(-1)
      if (last) unsettled.settle(id, last.seq + last.n - 1)
    }
    done()
    // Nothing is left of what was sealed before, and its file may be in use again.
    sealed = undefined
  }
  const holds = (session: string): boolean =>
    queue.some(({ writes }) => writes.some(write => write.session === session))
  return { add: job => void queue.push(job), holds, flush, settle, settleAll }
}

/** In the order of the index, so that neighbours share its pages. */
const idsInOrder = (unsettled: UnflushedPreviews): string[] =>
  unsettled
    .all()
    .toSorted(([, a], [, b]) => (a[0]?.session ?? 0) - (b[0]?.session ?? 0))
    .map(([id]) => id)

/** The size limit includes entries still to be copied. */
function mustFit({ maxBytes, reader, unsettled }: PreviewLaneParts, entries: readonly NamedEntry[]): void {
  if (maxBytes === undefined) return
  const more = entries.reduce((sum, { json }) => sum + json.length, 0)
  if (reader.usedBytes() + unsettled.size() + more > maxBytes) throw new AppError('storage_full')
}

const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

function toAppError(error: unknown): AppError {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  return new AppError(FULL.has(code) ? 'storage_full' : 'storage_error', undefined, { cause: String(error) })
}

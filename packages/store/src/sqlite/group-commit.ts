/**
 * Natural group commit: jobs that arrive while a flush is in flight share the next one. Owners' previews use a
 * separate path (preview-lane.ts), so that they wait for no disk. Everything else runs in order of arrival:
 * appends share flushes, other jobs run alone. One session keeps its order on both paths.
 */
import type { Append, AppendResult } from '@toolwire/core'
import { isPreviewOnly, isRelease } from '../append-rules.ts'
import { type EventRow, isLargeWrite, toEventRows, toEventRowsOften } from '../event-rows.ts'
import { type AppendJob, judgeJobs, refuseJobs } from './append-job.ts'
import { createBatch } from './batch.ts'
import { createTeller } from './deferred-flusher.ts'
import { collectDeferredWrites } from './deferred-writes.ts'
import { createPreviewLane, type PreviewLaneParts } from './preview-lane.ts'

export interface GroupCommit {
  /** Resolves after the commit. Rejects with AppError when the flush failed, with TypeError when an event is not JSON. */
  readonly append: (writes: readonly Append[], now: number) => Promise<readonly AppendResult[]>
  /** Runs `work` while no flush is in flight and after every earlier job. */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>
  /** Runs `work` after every append of the session before it: at once, when none of them waits. It may defer standings. */
  readonly next: <T>(session: string, work: () => T) => Promise<T>
  /** Resolves when all claims and releases are written; a failed one is retried later. Never rejects. */
  readonly tell: () => Promise<void>
  /** Copies all previews, claims and releases to the database. For jobs that run alone; throws what the writer throws. */
  readonly settle: () => Promise<void>
}

type Job = AppendJob | (() => Promise<void>)

/** Bounds of one flush, so that a burst does not delay the first of it until the last. */
const MAX_JOBS = 4096
const MAX_CHARACTERS = 8 * 1024 * 1024

/** `publish` of the parts is called after each commit, before its appends are answered. */
export function createGroupCommit(parts: PreviewLaneParts): GroupCommit {
  let queue: Job[] = []
  let draining = false
  let isAlone = false
  let scheduled = false
  const held = createHolds()
  /** Jobs that append, and so need not be alone. */
  const large = new WeakSet<Job>()
  const lane = createPreviewLane(parts, enqueue)
  const teller = createTeller(parts, enqueue)

  function enqueue(job: Job): void {
    queue.push(job)
    schedule()
  }
  /** After the callbacks of this turn of the event loop: what they append shares the flush. */
  function schedule(): void {
    if (scheduled) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      if (!isAlone) lane.flush()
      teller.remind()
      if (!draining && queue.length > 0) void drain()
    })
  }

  async function drain(): Promise<void> {
    draining = true
    while (queue.length > 0) {
      // Before anything that came later, so that a session's writes keep their order.
      lane.flush()
      const jobs = takeAppends()
      if (jobs.length > 0) {
        const answer = await flush(parts, jobs)
        // Before any caller is answered: the next append finds the preview path open again.
        for (const { writes } of jobs) held.count(writes, -1)
        answer()
      } else await doNext()
    }
    draining = false
    lane.flush()
    teller.remind()
  }

  const alone = <T>(work: () => Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => enqueue(() => work().then(resolve, reject)))

  async function doNext(): Promise<void> {
    const job = queue.shift()
    if (typeof job !== 'function') return
    isAlone = job !== lane.settle && job !== teller.flush && !large.has(job)
    await job()
    isAlone = false
  }

  function takeAppends(): readonly AppendJob[] {
    const jobs = firstAppends(queue)
    queue = jobs.length === queue.length ? [] : queue.slice(jobs.length)
    return jobs
  }

  return {
    append: (writes, now) =>
      new Promise((resolve, reject) => {
        if (writes.some(({ events }) => isLargeWrite(events))) {
          const job = toLargeJob(parts, held, { writes, now, resolve, reject })
          large.add(job)
          return enqueue(job)
        }
        const job = { writes, rows: writes.map(write => toEventRows(write.events)), now, resolve, reject }
        if (writes.every(write => (isPreviewOnly(write) || isRelease(write)) && !held.has(write.session))) {
          lane.add(job)
          return schedule()
        }
        held.count(writes, 1)
        enqueue(job)
      }),
    alone,
    async next(session, work) {
      if (isAlone || held.has(session)) return await alone(async () => work())
      if (lane.holds(session)) lane.flush()
      const result = work()
      teller.remind()
      return result
    },
    tell: () => (parts.deferred.isEmpty() ? Promise.resolve() : alone(teller.flush)),
    async settle() {
      await lane.settleAll()
      teller.stop()
    },
  }
}

/** The appends at the head of the queue that share one flush. */
function firstAppends(queue: readonly Job[]): readonly AppendJob[] {
  const jobs: AppendJob[] = []
  let characters = 0
  for (const job of queue) {
    if (typeof job === 'function' || jobs.length >= MAX_JOBS || characters > MAX_CHARACTERS) break
    jobs.push(job)
    for (const { json } of job.rows.flat()) characters += json.length
  }
  return jobs
}

/** An append that is too large to be written as JSON in one turn of the event loop. */
function toLargeJob(
  parts: PreviewLaneParts,
  held: ReturnType<typeof createHolds>,
  { writes, now, resolve, reject }: Omit<AppendJob, 'rows'>,
): () => Promise<void> {
  held.count(writes, 1)
  return async () => {
    let answer = (): void => {}
    try {
      const rows: (readonly EventRow[])[] = []
      for (const { events } of writes) rows.push(await toEventRowsOften(events))
      answer = await flush(parts, [{ writes, rows, now, resolve, reject }])
    } catch (error) {
      reject(error)
    }
    held.count(writes, -1)
    answer()
  }
}

/** Sessions with queued or running appends. */
function createHolds() {
  const counts = new Map<string, number>()
  return {
    has: (session: string): boolean => counts.has(session),
    count(writes: readonly Append[], by: 1 | -1): void {
      for (const { session } of writes) {
        const count = (counts.get(session) ?? 0) + by
        if (count > 0) counts.set(session, count)
        else counts.delete(session)
      }
    },
  }
}

/** Commits and publishes the jobs. Returns what answers them; those that cannot be stored are refused at once. */
async function flush(parts: PreviewLaneParts, jobs: readonly AppendJob[]): Promise<() => void> {
  const { cache, reader, writer, unsettled, deferred, publish } = parts
  const batch = createBatch(cache, reader)
  try {
    const answers = judgeJobs(batch, jobs)
    const request = batch.toRequest(unsettled, deferred)
    if (request) {
      const along = collectDeferredWrites(parts, batch.touched())
      await writer.request({
        ...request,
        chunks: [...request.chunks, ...along.chunks],
        sessions: [...request.sessions, ...along.sessions],
      })
      along.done()
      const committed = batch.committed()
      for (const { id, head } of committed) unsettled.settle(id, head)
      publish(committed)
    }
    cache.trim()
    return () => {
      for (const [i, job] of jobs.entries()) job.resolve(answers[i] ?? [])
    }
  } catch (error) {
    refuseJobs(jobs, batch, cache, error)
    return () => {}
  }
}

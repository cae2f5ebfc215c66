/**
 * Natural group commit: whatever arrives while a flush is under way goes into the next one.
 * Jobs are done in order of arrival; appends share flushes, everything else is done alone.
 */
import { AppError, type Append, type Appended } from '@toolwire/core'
import { type Batch, type Committed, createBatch } from './batch.ts'
import type { Reader } from './reader.ts'
import type { SessionCache } from './session-cache.ts'
import type { WriterClient } from './writer-client.ts'

export interface GroupCommit {
  /** Resolves after the commit. Rejects with AppError when the flush failed, with TypeError when an event is not JSON. */
  readonly append: (writes: readonly Append[], now: number) => Promise<readonly Appended[]>
  /** Runs `work` while no flush is under way and after every job before it. */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>
}

export interface GroupCommitParts {
  readonly cache: SessionCache
  readonly reader: Reader
  readonly writer: WriterClient
  /** Called after each commit, before its appends are answered. */
  readonly publish: (committed: readonly Committed[]) => void
}

interface AppendJob {
  readonly writes: readonly Append[]
  readonly jsons: readonly string[]
  readonly now: number
  readonly resolve: (answers: readonly Appended[]) => void
  readonly reject: (error: unknown) => void
}
type Job = AppendJob | (() => Promise<void>)

/** Bounds of one flush, so that a burst does not delay the first of it until the last. */
const MAX_JOBS = 4096
const MAX_CHARACTERS = 8 * 1024 * 1024

export function createGroupCommit(parts: GroupCommitParts): GroupCommit {
  let queue: Job[] = []
  let draining = false

  function enqueue(job: Job): void {
    queue.push(job)
    if (draining) return
    draining = true
    // After the callbacks of this turn of the event loop: what they append shares the flush.
    setImmediate(() => void drain())
  }

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      const jobs = takeAppends()
      if (jobs.length > 0) await flush(parts, jobs)
      else {
        const job = queue.shift()
        if (typeof job === 'function') await job()
      }
    }
    draining = false
  }

  function takeAppends(): readonly AppendJob[] {
    const jobs: AppendJob[] = []
    let characters = 0
    for (const job of queue) {
      if (typeof job === 'function' || jobs.length >= MAX_JOBS || characters > MAX_CHARACTERS) break
      jobs.push(job)
      for (const json of job.jsons) characters += json.length
    }
    queue = jobs.length === queue.length ? [] : queue.slice(jobs.length)
    return jobs
  }

  return {
    append: (writes, now) =>
      new Promise((resolve, reject) => {
        enqueue({ writes, jsons: writes.map(toJson), now, resolve, reject })
      }),
    alone: work =>
      new Promise((resolve, reject) => {
        enqueue(() => work().then(resolve, reject))
      }),
  }
}

function toJson(write: Append): string {
  return write.events.length === 0 ? '[]' : JSON.stringify(write.events)
}

async function flush(parts: GroupCommitParts, jobs: readonly AppendJob[]): Promise<void> {
  const { cache, reader, writer, publish } = parts
  const batch = createBatch(cache, reader)
  try {
    const answers = jobs.map(job =>
      job.writes.map((write, i) => batch.add(write, job.jsons[i] ?? '[]', job.now)),
    )
    const request = batch.toRequest()
    if (request) {
      await writer.request(request)
      publish(batch.committed())
    }
    for (const [i, job] of jobs.entries()) job.resolve(answers[i] ?? [])
    cache.trim()
  } catch (error) {
    abandon(batch, cache)
    const refusal = AppError.is(error)
      ? error
      : new AppError('storage_error', undefined, { cause: String(error) })
    for (const job of jobs) job.reject(refusal)
  }
}

function abandon(batch: Batch, cache: SessionCache): void {
  for (const id of batch.touched()) cache.drop(id)
}

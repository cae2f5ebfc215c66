/** An append that waits for its flush: how it is judged, and how it is refused. */
import { AppError, type Append, type AppendResult } from '@toolwire/core'
import type { EventRow } from '../event-rows.ts'
import type { Batch } from './batch.ts'
import type { SessionCache } from './session-cache.ts'

export interface AppendJob {
  readonly writes: readonly Append[]
  /** The events of each write. */
  readonly rows: readonly (readonly EventRow[])[]
  readonly now: number
  readonly resolve: (answers: readonly AppendResult[]) => void
  readonly reject: (error: unknown) => void
}

/** Results of the jobs once the batch is stored. */
export function judgeJobs(batch: Batch, jobs: readonly AppendJob[]): readonly (readonly AppendResult[])[] {
  return jobs.map(job => job.writes.map((write, i) => batch.add(write, job.rows[i] ?? [], job.now)))
}

/** Nothing of the batch is stored: the heads of its sessions are read again. */
export function refuseJobs(
  jobs: readonly AppendJob[],
  batch: Batch,
  cache: SessionCache,
  error: unknown,
): void {
  for (const id of batch.touched()) cache.drop(id)
  const refusal = AppError.is(error)
    ? error
    : new AppError('storage_error', undefined, { cause: String(error) })
  for (const job of jobs) job.reject(refusal)
}

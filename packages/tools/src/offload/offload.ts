/**
 * Work on texts and documents that strangers made. A small piece is done at once; a larger one in a thread, within limits of
 * time and memory, so that whatever it is made of the event loop is not held.
 */
import { JOBS, type JobName, type Jobs } from './jobs.ts'
import { createThreadPool, type ThreadPool } from './thread-pool.ts'

/** Characters and bytes of all arguments together up to which a piece is done at once: some milliseconds. */
const MAX_INLINE = 32 * 1024
/** The duration of a piece depends on its content, not on its size. */
const NEVER_INLINE: ReadonlySet<JobName> = new Set<JobName>(['pdfText'])
const TIMEOUT_MS = 10_000
const LIMITS = { threads: 2, queue: 100, memory_mb: 512, idle_ms: 10_000 }
/** Both spelled out, so that tools that follow imports find the thread. */
const THREAD = import.meta.url.endsWith('.ts')
  ? new URL('./offload-thread.ts', import.meta.url)
  : new URL('./offload-thread.js', import.meta.url)

let pool: ThreadPool | undefined

export interface OffloadOptions {
  readonly timeout_ms?: number
  /** Ends the work. */
  readonly signal?: AbortSignal
}

type Job<Name extends JobName> = (
  ...args: Parameters<Jobs[Name]>
) => Promise<Awaited<ReturnType<Jobs[Name]>>> | Awaited<ReturnType<Jobs[Name]>>

/** Does the job of this name. Rejects with OffloadError, or with what the job throws. */
export async function offload<Name extends JobName>(
  name: Name,
  args: Parameters<Jobs[Name]>,
  { timeout_ms = TIMEOUT_MS, signal }: OffloadOptions = {},
): Promise<Awaited<ReturnType<Jobs[Name]>>> {
  if (!NEVER_INLINE.has(name) && sizeOf(args) <= MAX_INLINE)
    return await (JOBS[name] as unknown as Job<Name>)(...args)
  pool ??= createThreadPool(THREAD, LIMITS)
  return (await pool.run(name, args, { timeout_ms, signal })) as Awaited<ReturnType<Jobs[Name]>>
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return value.length
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((sum: number, one) => sum + sizeOf(one), 0)
}

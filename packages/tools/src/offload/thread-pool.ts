/**
 * A few threads for work that would hold the event loop. They are started when work comes, do one piece at a time, and are
 * ended when a piece takes too long, needs too much memory or is aborted, and when nothing has come for a while.
 */
import { Worker } from 'node:worker_threads'
import { OffloadError } from './offload-error.ts'

export interface PoolLimits {
  readonly threads: number
  /** Pieces that wait for a thread. */
  readonly queue: number
  /** Of a thread: its heap and its buffers. */
  readonly memory_mb: number
  readonly idle_ms: number
}

interface JobOptions {
  /** From when the work begins. */
  readonly timeout_ms: number
  readonly signal?: AbortSignal | undefined
}

export interface ThreadPool {
  /** Resolves with what the thread answers. Rejects with OffloadError, or with an Error of the work's own message. */
  readonly run: (name: string, args: readonly unknown[], options: JobOptions) => Promise<unknown>
}

/** A thread's response to `{ name, args }`. */
export type ThreadAnswer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string }

interface QueuedJob extends JobOptions {
  readonly name: string
  readonly args: readonly unknown[]
  readonly settle: (answer: ThreadAnswer | OffloadError) => void
}

const MB = 1024 * 1024
const MEMORY_CHECK_MS = 50
/**
 * The limit of the heap itself. Where a thread meets it with one large allocation, V8 ends the whole process; so the memory
 * is looked at from outside, and the thread is ended long before.
 */
const HEAP_MB = 2048

export function createThreadPool(file: URL, limits: PoolLimits): ThreadPool {
  const idle: PooledThread[] = []
  const queue: QueuedJob[] = []
  let running = 0

  function pump(): void {
    while (queue.length > 0 && (idle.length > 0 || running < limits.threads)) {
      const job = queue.shift()
      if (job && !job.signal?.aborted) void work(nextThread(), job)
    }
  }
  function nextThread(): PooledThread {
    for (let thread = idle.pop(); thread; thread = idle.pop()) if (!thread.isOver()) return thread
    return startThread(file, limits)
  }
  async function work(thread: PooledThread, job: QueuedJob): Promise<void> {
    running += 1
    const answer = await thread.run(job)
    running -= 1
    if (answer instanceof OffloadError || thread.isOver()) thread.end()
    else rest(thread)
    job.settle(answer)
    pump()
  }
  function rest(thread: PooledThread): void {
    idle.push(thread)
    thread.whenIdle(limits.idle_ms, () => {
      const at = idle.indexOf(thread)
      if (at !== -1) idle.splice(at, 1)
    })
  }

  return {
    run: (name, args, options) =>
      new Promise((resolve, reject) => {
        if (queue.length >= limits.queue)
          return reject(
            new OffloadError('busy', 'The server has too much work of this kind. Try again later.'),
          )
        const { signal } = options
        const aborted = new OffloadError('aborted', 'The work was stopped.')
        if (signal?.aborted) return reject(aborted)
        const leave = (): void => reject(aborted)
        signal?.addEventListener('abort', leave, { once: true })
        const settle = (answer: ThreadAnswer | OffloadError): void => {
          signal?.removeEventListener('abort', leave)
          if (answer instanceof OffloadError) reject(answer)
          else if (answer.ok) resolve(answer.value)
          else reject(new Error(answer.message))
        }
        queue.push({ name, args, settle, ...options })
        pump()
      }),
  }
}

interface PooledThread {
  /** One at a time. */
  readonly run: (job: QueuedJob) => Promise<ThreadAnswer | OffloadError>
  /** Calls back, once, when it is ended because nothing came; the next `run` calls that off. */
  readonly whenIdle: (ms: number, ended: () => void) => void
  readonly isOver: () => boolean
  readonly end: () => void
}

function startThread(file: URL, { memory_mb }: PoolLimits): PooledThread {
  const worker = new Worker(file, {
    name: 'toolwire-work',
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: 32 },
  })
  let isOver = false
  let idle: NodeJS.Timeout | undefined
  let answer: (given: ThreadAnswer | OffloadError) => void = () => {}
  worker.on('message', (given: ThreadAnswer) => answer(given))
  worker.on('error', error => answer(toAnswer(error)))
  worker.on('exit', () => {
    isOver = true
    answer({ ok: false, message: 'The thread ended before the work did.' })
  })
  const end = (): void => {
    isOver = true
    clearTimeout(idle)
    worker.terminate().catch(() => {})
  }

  async function checkMemory(): Promise<void> {
    const { used_heap_size, external_memory } = await worker.getHeapStatistics()
    if (used_heap_size + external_memory > memory_mb * MB) answer(outOfMemory())
  }

  return {
    isOver: () => isOver,
    end,
    run: ({ name, args, timeout_ms, signal }) =>
      new Promise(resolve => {
        clearTimeout(idle)
        worker.ref()
        const abort = (): void => answer(new OffloadError('aborted', 'The work was stopped.'))
        const late = setTimeout(
          () => answer(new OffloadError('timeout', `It took longer than ${timeout_ms / 1000} seconds.`)),
          timeout_ms,
        )
        const memory = setInterval(() => void checkMemory().catch(() => {}), MEMORY_CHECK_MS)
        signal?.addEventListener('abort', abort, { once: true })
        answer = given => {
          answer = () => {}
          clearTimeout(late)
          clearInterval(memory)
          signal?.removeEventListener('abort', abort)
          worker.unref()
          resolve(given)
        }
        try {
          worker.postMessage({ name, args })
        } catch (error) {
          answer(toAnswer(error))
        }
      }),
    whenIdle(ms, ended) {
      idle = setTimeout(() => {
        end()
        ended()
      }, ms).unref()
    },
  }
}

const outOfMemory = (): OffloadError => new OffloadError('out_of_memory', 'It needs too much memory.')

function toAnswer(error: unknown): ThreadAnswer | OffloadError {
  if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') return outOfMemory()
  return { ok: false, message: error instanceof Error ? error.message : String(error) }
}

/** At most so many at once; the rest wait in the order they came. */
export interface Semaphore {
  /** Runs `work` when there is room. */
  readonly run: <T>(work: () => Promise<T>) => Promise<T>
  /** Runs `work` now; undefined when there is no room. */
  readonly tryRun: <T>(work: () => Promise<T>) => Promise<T> | undefined
  /** True if a newcomer has to wait. */
  readonly isFull: () => boolean
}

export function createSemaphore(max: number): Semaphore {
  let running = 0
  const waiting: (() => void)[] = []
  async function run<T>(work: () => Promise<T>): Promise<T> {
    // A leaving holder passes its slot on, so a newcomer can never overtake the queue.
    if (running >= max) await new Promise<void>(resolve => waiting.push(resolve))
    else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
  const isFull = (): boolean => running >= max
  return { run, tryRun: work => (isFull() ? undefined : run(work)), isFull }
}

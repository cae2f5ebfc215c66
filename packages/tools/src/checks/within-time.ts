/** Runs work that foreign patterns could make endless, and gives up after a while. The thread is held no longer than that. */
import { createContext, Script } from 'node:vm'

/** Attempts on a machine that gives this thread no processor time. */
const MOST_ATTEMPTS = 20

/**
 * Returns what `work` returns; undefined when it took longer than `ms`. Throws what `work` throws. Not to be nested.
 * Runs `work` again when the time passed while the processor was busy with other programs: it must be repeatable.
 */
export function runWithTimeout<T>(ms: number, work: () => T): T | undefined {
  const { script, surroundings } = benchOf()
  let result: T | undefined
  surroundings.work = () => {
    result = work()
  }
  const before = process.threadCpuUsage()
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    try {
      script.runInContext(surroundings, { timeout: ms })
      return result
    } catch (error) {
      // The only way to stop an expression that is being matched: V8 asks between its steps whether to continue.
      if ((error as { code?: unknown } | undefined)?.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
      const { user, system } = process.threadCpuUsage(before)
      if ((user + system) / 1000 >= ms / 2) return undefined
    }
  }
  return undefined
}

interface Bench {
  readonly script: Script
  readonly surroundings: { work: () => void }
}

let bench: Bench | undefined

/** Created on first use: a separate context takes time and memory. */
function benchOf(): Bench {
  if (!bench) {
    bench = { script: new Script('work()'), surroundings: { work: () => undefined } }
    createContext(bench.surroundings)
  }
  return bench
}

/** Runs work that foreign patterns could make endless, and gives up after a while. The thread is held no longer than that. */
import { createContext, Script } from 'node:vm'

/** What `work` returns; undefined when it took longer than `ms`. Throws what `work` throws. Not to be nested. */
export function withinTime<T>(ms: number, work: () => T): T | undefined {
  const { script, surroundings } = benchOf()
  let result: T | undefined
  surroundings.work = () => {
    result = work()
  }
  try {
    script.runInContext(surroundings, { timeout: ms })
    return result
  } catch (error) {
    // The only way to stop an expression that is being matched: the engine asks between its steps whether to go on.
    if ((error as { code?: unknown } | undefined)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined
    throw error
  }
}

interface Bench {
  readonly script: Script
  readonly surroundings: { work: () => void }
}

let bench: Bench | undefined

/** Made when it is first needed: surroundings of their own take time and memory. */
function benchOf(): Bench {
  if (!bench) {
    bench = { script: new Script('work()'), surroundings: { work: () => undefined } }
    createContext(bench.surroundings)
  }
  return bench
}

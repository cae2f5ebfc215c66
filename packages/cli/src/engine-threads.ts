/**
 * The engine's own threads mark old objects and compile code beside the program. On a processor that is full they
 * would take most of it, four of them against one: streams would stand still for a tenth of a second at a time.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { join } from 'node:path'

/** As the engine's threads are named. */
const NAME = 'V8Worker'
/** All of them together get a seventh of a processor that the program wants too, and all that it leaves. */
const LOWER = 15
const LOWEST = 19

/** Threads have a priority of their own on Linux alone; elsewhere, and where it is not allowed, nothing is changed. */
export function lowerEngineThreads(): void {
  if (process.platform !== 'linux') return
  try {
    const folder = '/proc/self/task'
    for (const thread of readdirSync(folder))
      if (readFileSync(join(folder, thread, 'comm'), 'utf8').trim() === NAME)
        setPriority(Number(thread), Math.min(LOWEST, getPriority(Number(thread)) + LOWER))
  } catch {
    // It is a matter of speed alone.
  }
}

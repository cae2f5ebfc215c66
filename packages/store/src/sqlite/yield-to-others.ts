/** Makes this thread wait for others of its process where the processor is short. */
import { readlinkSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { basename } from 'node:path'

const LOWER = 5
const LOWEST = 19

/**
 * The thread of a database wakes up in the middle of what the main thread does, and on a full processor it would take
 * its place: every stream would stand still while one session is written. With the lower priority it still gets a
 * quarter of a processor that both want. Threads have one of their own on Linux alone; elsewhere nothing is changed.
 */
export function yieldToOthers(): void {
  if (process.platform !== 'linux') return
  try {
    const thread = Number(basename(readlinkSync('/proc/thread-self')))
    setPriority(thread, Math.min(LOWEST, getPriority(thread) + LOWER))
  } catch {
    // Not allowed, or no /proc: it is a matter of speed alone.
  }
}

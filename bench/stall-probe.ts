/**
 * Loaded into a server with `--import`. Measures for how long the server's own thread was busy between two turns of its
 * event loop, in CPU time, so that other programs on the machine add nothing. A signal asks for the longest turn.
 */
import { appendFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

export const PROBE_FILE = 'TOOLWIRE_STALL_FILE'
export const PROBE_SIGNAL = 'SIGUSR2'

function install(file: string): void {
  const cpuMs = (): number => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  let before = cpuMs()
  let longest = 0
  setInterval(() => {
    const now = cpuMs()
    longest = Math.max(longest, now - before)
    before = now
  }, 1).unref()
  process.on(PROBE_SIGNAL, () => {
    appendFileSync(file, `${longest}\n`)
    longest = 0
  })
}

const file = process.env[PROBE_FILE]
if (isMainThread && file !== undefined) install(file)

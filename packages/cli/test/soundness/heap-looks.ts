/** Looks at what a server that runs really holds, after a collection. */
import type { ChildProcess } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

export interface HeapLook {
  /** Megabytes of JavaScript objects in use, of the main thread. */
  readonly heapMb: number
  /** Megabytes of buffers in use, beside the heap. */
  readonly buffersMb: number
  readonly residentMb: number
  /** The same of the other threads together: the store's. */
  readonly threads: { readonly count: number; readonly heapMb: number; readonly buffersMb: number }
}

export interface HeapLooks {
  /** What the server must be started with. */
  readonly env: Readonly<Record<string, string>>
  /** Rejects when the server is gone. One at a time. */
  readonly look: (server: ChildProcess) => Promise<HeapLook>
}

const MB = 1024 ** 2
const WATCH = new URL('heap-watch.ts', import.meta.url).href

/** `file` is written by the server; the caller removes it. */
export function createHeapLooks(file: string): HeapLooks {
  writeFileSync(file, '')
  const lines = (): readonly string[] => readFileSync(file, 'utf8').split('\n').slice(0, -1)
  return {
    env: { NODE_OPTIONS: `--import=${WATCH}`, HEAP_FILE: file },
    async look(server) {
      const before = lines().length
      server.kill('SIGUSR2')
      while (lines().length === before) {
        if (server.exitCode !== null || server.signalCode !== null) throw new Error('the server is gone')
        await new Promise(resolve => setTimeout(resolve, 20))
      }
      const [heap = 0, beside = 0, resident = 0, ...threads] = (lines().at(-1) ?? '').split(' ').map(Number)
      const [heapOf = 0, besideOf = 0, count = 0] = threads
      return {
        heapMb: heap / MB,
        buffersMb: beside / MB,
        residentMb: resident / MB,
        threads: { count, heapMb: heapOf / MB, buffersMb: besideOf / MB },
      }
    },
  }
}

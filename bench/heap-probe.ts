/** The heap of a running command after a collection, asked for by a signal: the command itself has no such door. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Loaded into the command before its own code. Its answers are written beside and then renamed, so that none is read by half. */
const PROGRAM = `
import { renameSync, writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const file = process.env.TOOLWIRE_BENCH_HEAP
let asked = 0
if (isMainThread) process.on('SIGUSR2', () => {
  globalThis.gc()
  const { heapUsed, external } = process.memoryUsage()
  writeFileSync(file + '.new', JSON.stringify({ asked: ++asked, bytes: heapUsed + external }))
  renameSync(file + '.new', file)
})
`

export interface HeapProbe {
  /** Node arguments before the program, and required environment variables. */
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Bytes of the main thread's heap and of the buffers behind it, after a collection. */
  readonly look: (pid: number) => Promise<number>
  readonly remove: () => void
}

const LOOK_EVERY_MS = 20

export function makeHeapProbe(): HeapProbe {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-bench-'))
  const program = join(folder, 'probe.mjs')
  const file = join(folder, 'heap.json')
  writeFileSync(program, PROGRAM)
  writeFileSync(file, '{"asked":0,"bytes":0}')
  const read = () => JSON.parse(readFileSync(file, 'utf8')) as { asked: number; bytes: number }
  return {
    args: ['--expose-gc', '--import', program],
    env: { TOOLWIRE_BENCH_HEAP: file },
    async look(pid) {
      const before = read().asked
      process.kill(pid, 'SIGUSR2')
      while (read().asked === before) await new Promise(resolve => setTimeout(resolve, LOOK_EVERY_MS))
      return read().bytes
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

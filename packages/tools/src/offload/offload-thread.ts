/** A thread of the pool: does one piece of work after another, each by its name. */
import { parentPort } from 'node:worker_threads'
import { JOBS, type JobName } from './jobs.ts'
import type { ThreadAnswer } from './thread-pool.ts'

interface Piece {
  readonly name: JobName
  readonly args: readonly unknown[]
}

async function answer({ name, args }: Piece): Promise<ThreadAnswer> {
  try {
    const job = JOBS[name] as (...given: readonly unknown[]) => unknown
    return { ok: true, value: await job(...args) }
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) }
  }
}

const port = parentPort
port?.on('message', (piece: Piece) => {
  void answer(piece).then(given => port.postMessage(given))
})

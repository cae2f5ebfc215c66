/** The body of an answer of node:http. Costs a fraction of a web stream for the many small pieces of an event stream. */
import type { Readable } from 'node:stream'
import type { Chunks } from './provider-response.ts'

/** Bytes that wait for the reader before the sender is made to wait. */
const HIGH_WATER = 256 * 1024

interface Waiter {
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

export function messageChunks(message: Readable): Chunks {
  let queue: Buffer[] = []
  let size = 0
  let waiting: Waiter | undefined
  message.on('data', (chunk: Buffer) => {
    queue.push(chunk)
    size += chunk.length
    if (size > HIGH_WATER) message.pause()
    look()
  })
  message.on('error', look)
  message.on('close', look)
  message.on('end', look)

  /** Resolves the pending read if there are parts. */
  function look(): void {
    if (!waiting) return
    const { resolve, reject } = waiting
    if (queue.length > 0 || message.readableEnded) resolve()
    else if (message.errored) reject(message.errored)
    else if (message.destroyed) reject(new Error('The connection was closed.'))
    else return
    waiting = undefined
  }
  return {
    ready: () =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        look()
      }),
    take() {
      if (queue.length === 0) return undefined
      const taken = queue.length === 1 ? queue[0] : Buffer.concat(queue)
      queue = []
      size = 0
      if (message.isPaused()) message.resume()
      return taken
    },
    cancel: () => void message.destroy(),
  }
}

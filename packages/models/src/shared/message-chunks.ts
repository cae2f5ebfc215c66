/** The body of an answer of node:http. Costs a fraction of a web stream for the many small pieces of an event stream. */
import type { Readable } from 'node:stream'
import type { Chunks } from './answer.ts'

/** Bytes that wait for the reader before the sender is made to wait. */
const HIGH_WATER = 256 * 1024

export function messageChunks(message: Readable): Chunks {
  let queue: Buffer[] = []
  let size = 0
  let wake: (() => void) | undefined
  const ring = (): void => wake?.()
  message.on('data', (chunk: Buffer) => {
    queue.push(chunk)
    size += chunk.length
    if (size > HIGH_WATER) message.pause()
    ring()
  })
  message.on('error', ring)
  message.on('close', ring)
  message.on('end', ring)

  function take(): Buffer | undefined {
    if (queue.length === 0) return undefined
    const taken = queue.length === 1 ? queue[0] : Buffer.concat(queue)
    queue = []
    size = 0
    if (message.isPaused()) message.resume()
    return taken
  }
  return {
    async next() {
      for (;;) {
        const taken = take()
        if (taken) return taken
        if (message.readableEnded) return undefined
        if (message.errored) throw message.errored
        if (message.destroyed) throw new Error('The connection was closed.')
        await new Promise<void>(resolve => {
          wake = resolve
        })
      }
    },
    cancel: () => void message.destroy(),
  }
}

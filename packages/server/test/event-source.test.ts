import { EventSource } from 'eventsource'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readFrames } from './read-sse.ts'
import { type Running, startServer } from './start-server.ts'

let running: Running
beforeEach(async () => {
  running = await startServer()
})
afterEach(async () => {
  await running.close()
})

interface Read {
  readonly ids: string[]
  readonly statuses: number[]
}

/** Reads until the server says that there is nothing more, reconnecting as browsers do; `breakAfter` cuts once. */
function readAll(url: string, breakAfter = Number.POSITIVE_INFINITY): Promise<Read> {
  const read: Read = { ids: [], statuses: [] }
  let cuts = 0
  const faulty = () =>
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        if (read.ids.length < breakAfter || cuts > 0) return controller.enqueue(chunk)
        cuts += 1
        controller.error(new TypeError('the network is gone'))
      },
    })
  return new Promise(resolve => {
    const source = new EventSource(url, {
      fetch: async (input, init) => {
        const response = await fetch(input, init)
        read.statuses.push(response.status)
        if (!response.body) return response
        const { status, headers } = response
        return new Response(response.body.pipeThrough(faulty()), { status, headers })
      },
    })
    source.onmessage = message => {
      read.ids.push(message.lastEventId)
    }
    source.onerror = () => {
      if (source.readyState === source.CLOSED) resolve(read)
    }
  })
}

describe('a standard EventSource', () => {
  it('reads an answer once, asks again, and stops at 204', async () => {
    const session_id = await running.newSession()
    const sent = await readFrames(await running.chat({ session_id, message: 'echo hi' }))
    const read = await readAll(`${running.url}/api/chat/stream?session_id=${session_id}`)
    expect(read.ids).toEqual(sent.map(frame => frame.id))
    expect(read.statuses).toEqual([200, 204])
  })

  it('misses and repeats nothing when its connection breaks', async () => {
    const session_id = await running.newSession()
    const sent = await readFrames(await running.chat({ session_id, message: 'long 20000' }))
    const read = await readAll(`${running.url}/api/chat/stream?session_id=${session_id}`, 5)
    expect(read.ids).toEqual(sent.map(frame => frame.id))
    expect(read.statuses).toEqual([200, 200, 204])
  })
})

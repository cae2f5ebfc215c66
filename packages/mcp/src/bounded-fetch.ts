/** `fetch` for servers that are not trusted: no message of theirs may grow without end. */

import { createShapeCheck } from './message-shape.ts'

/** Of one JSON answer, or of one event of a stream. */
export const MAX_MESSAGE_BYTES = 10 * 1024 * 1024

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/** A body beyond the limit ends with an error. Streams may continue forever, event by event. */
export function createBoundedFetch(limit = MAX_MESSAGE_BYTES, send: Fetch = fetch): Fetch {
  return async (url, init) => {
    const response = await send(url, init)
    if (!response.body) return response
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false
    const bounded = response.body.pipeThrough(counter(limit, isStream))
    const { status, statusText, headers } = response
    return new Response(bounded, { status, statusText, headers })
  }
}

function counter(limit: number, isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  const check = isStream ? eventCheck(limit) : bodyCheck(limit)
  return new TransformStream({
    transform(chunk, controller) {
      const problem = check(chunk)
      if (problem === undefined) controller.enqueue(chunk)
      else controller.error(new Error(`A message of the server is ${problem}.`))
    },
  })
}

type Check = (chunk: Uint8Array) => string | undefined

function bodyCheck(limit: number): Check {
  const shape = createShapeCheck()
  let size = 0
  return chunk => {
    size += chunk.length
    return size > limit ? tooLarge(limit) : shape.add(chunk)
  }
}

/** Counts from the last empty line, which ends an event. */
function eventCheck(limit: number): Check {
  const shape = createShapeCheck()
  let size = 0
  let wasBreak = false
  return chunk => {
    let from = 0
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]
      if (byte === NEWLINE && wasBreak) {
        const problem = shape.add(chunk.subarray(from, at))
        if (problem !== undefined) return problem
        shape.reset()
        from = at
        size = 0
      } else size += 1
      if (byte !== CARRIAGE_RETURN) wasBreak = byte === NEWLINE
    }
    return size > limit ? tooLarge(limit) : shape.add(chunk.subarray(from))
  }
}

const NEWLINE = 10
const CARRIAGE_RETURN = 13

const tooLarge = (limit: number): string => `larger than ${limit} bytes`

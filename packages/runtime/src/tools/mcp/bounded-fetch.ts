/** `fetch` for servers that are not trusted: no message of theirs may grow without end. */

/** Of one JSON answer, or of one event of a stream. */
export const MAX_MESSAGE_BYTES = 10 * 1024 * 1024

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/** A body that goes beyond the limit ends with an error. Streams may go on for ever, event by event. */
export function createBoundedFetch(limit = MAX_MESSAGE_BYTES): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init)
    if (!response.body) return response
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false
    const bounded = response.body.pipeThrough(counter(limit, isStream))
    const { status, statusText, headers } = response
    return new Response(bounded, { status, statusText, headers })
  }
}

function counter(limit: number, isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  const count = isStream ? eventSize() : bodySize()
  return new TransformStream({
    transform(chunk, controller) {
      if (count(chunk) <= limit) controller.enqueue(chunk)
      else controller.error(new Error(`A message of the server is larger than ${limit} bytes.`))
    },
  })
}

function bodySize(): (chunk: Uint8Array) => number {
  let size = 0
  return chunk => {
    size += chunk.length
    return size
  }
}

/** Bytes since the last empty line, which ends an event. */
function eventSize(): (chunk: Uint8Array) => number {
  let size = 0
  let wasBreak = false
  return chunk => {
    for (const byte of chunk) {
      size = byte === 10 && wasBreak ? 0 : size + 1
      if (byte !== 13) wasBreak = byte === 10
    }
    return size
  }
}

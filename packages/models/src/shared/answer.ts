/** What a provider answered, whichever client fetched it. */

/** The body, piece by piece, for one reader. */
export interface Chunks {
  /** Resolves when something has come or the body has ended. Rejects when it breaks off. One call at a time. */
  readonly ready: () => Promise<void>
  /** After `ready`: all that has come since the last call; undefined at the end. */
  readonly take: () => Uint8Array | undefined
  /** Breaks the connection off. Idempotent, never throws. */
  readonly cancel: () => void
}

export interface Answer {
  readonly ok: boolean
  readonly status: number
  readonly headers: Pick<Headers, 'get'>
  /** To be called once, and not after `text`; undefined when there is no body. */
  readonly chunks: () => Chunks | undefined
  readonly text: () => Promise<string>
}

/** The answer of a `fetch`. */
export const fromFetch = (response: Response): Answer => ({
  ok: response.ok,
  status: response.status,
  headers: response.headers,
  chunks: () => (response.body === null ? undefined : streamChunks(response.body)),
  text: () => response.text(),
})

function streamChunks(body: ReadableStream<Uint8Array>): Chunks {
  const reader = body.getReader()
  let come: Uint8Array | undefined
  return {
    async ready() {
      come = (await reader.read()).value
    },
    take: () => come,
    cancel() {
      // Fails when the stream is broken already; then there is nothing to cancel.
      reader.cancel().catch(() => undefined)
    },
  }
}

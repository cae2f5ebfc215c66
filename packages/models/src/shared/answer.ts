/** What a provider answered, whichever client fetched it. */

/** The body, piece by piece, for one reader. */
export interface Chunks {
  /** What has come since the last call, at least one byte; undefined at the end. Rejects when the body breaks off. */
  readonly next: () => Promise<Uint8Array | undefined>
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

export function streamChunks(body: ReadableStream<Uint8Array>): Chunks {
  const reader = body.getReader()
  return {
    next: async () => (await reader.read()).value,
    cancel() {
      // Fails when the stream is broken already; then there is nothing to cancel.
      reader.cancel().catch(() => undefined)
    },
  }
}

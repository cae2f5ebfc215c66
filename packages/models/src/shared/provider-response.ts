/** A provider's response, from any HTTP client. */

/** The body, piece by piece, for one reader. */
export interface Chunks {
  /** Resolves when data has arrived or the body has ended. Rejects if it is interrupted. One call at a time. */
  readonly ready: () => Promise<void>
  /** After `ready`: all that has come since the last call; undefined at the end. */
  readonly take: () => Uint8Array | undefined
  /** Breaks the connection off. Idempotent, never throws. */
  readonly cancel: () => void
}

export interface ProviderResponse {
  readonly ok: boolean
  readonly status: number
  readonly headers: Pick<Headers, 'get'>
  /** To be called once, and not after `text`; undefined when there is no body. */
  readonly chunks: () => Chunks | undefined
  /**
   * The whole text, or its first `most` characters: then the connection is closed. Call it once, instead of
   * `chunks`.
   */
  readonly text: (most?: number) => Promise<string>
}

/** The answer of a `fetch`. */
export function fromFetch(response: Response): ProviderResponse {
  const { ok, status, headers } = response
  const chunks = (): Chunks | undefined => (response.body === null ? undefined : streamChunks(response.body))
  return { ok, status, headers, chunks, text: most => readText(chunks(), most) }
}

/** Nothing that a provider says honestly in one piece comes near this. */
const MAX_TEXT = 10_000_000

/**
 * The text, decompressed or not, never takes more memory than `most` characters and one chunk. Rejects as `ready`
 * does.
 */
export async function readText(chunks: Chunks | undefined, most = MAX_TEXT): Promise<string> {
  if (!chunks) return ''
  const decoder = new TextDecoder()
  let text = ''
  while (text.length <= most) {
    await chunks.ready()
    const chunk = chunks.take()
    if (!chunk) return (text + decoder.decode()).slice(0, most)
    text += decoder.decode(chunk, { stream: true })
  }
  chunks.cancel()
  return text.slice(0, most)
}

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

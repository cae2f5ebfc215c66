/** A server without sockets: answers by a list of handlers, and streams that the test drives by hand. */
export interface Seen {
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  readonly body: unknown
}

export type Answer = (request: Seen, signal: AbortSignal | undefined) => Response | Promise<Response>

/** Each request takes the next answer; the last one answers all that follow. */
export function fakeFetch(...answers: readonly Answer[]): {
  readonly fetch: typeof fetch
  readonly seen: Seen[]
} {
  const seen: Seen[] = []
  const fake: typeof fetch = async (input, init) => {
    const { method = 'GET', headers, body, signal } = init ?? {}
    const request = {
      method,
      url: new URL(String(input), 'http://test'),
      headers: new Headers(headers),
      body: typeof body === 'string' ? JSON.parse(body) : undefined,
    }
    seen.push(request)
    const answer = answers[Math.min(seen.length, answers.length) - 1]
    if (!answer) throw new TypeError('no answer')
    return await answer(request, signal ?? undefined)
  }
  return { fetch: fake, seen }
}

export const json =
  (body: unknown, status = 200): Answer =>
  () =>
    new Response(JSON.stringify(body), { status })
export const refuse = (code: string, status: number, retryable = false): Answer =>
  json({ error: { code, message: code, retryable, request_id: 'rq', details: { a: 1 } } }, status)
export const status =
  (code: number): Answer =>
  () =>
    new Response(null, { status: code })
export const broken: Answer = () => {
  throw new TypeError('fetch failed')
}

/** A whole stream that ends politely. */
export const stream =
  (text: string): Answer =>
  () =>
    new Response(text, { headers: { 'content-type': 'text/event-stream' } })

/** A stream that stays open: the test writes into it, and a given-up request closes it. */
export function openStream(headers: Readonly<Record<string, string>> = {}): {
  readonly answer: Answer
  readonly write: (text: string) => void
  readonly fail: () => void
} {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const body = () =>
    new ReadableStream<Uint8Array>({
      start(c) {
        controller = c
      },
    })
  return {
    answer: () => new Response(body(), { headers }),
    write: text => controller?.enqueue(new TextEncoder().encode(text)),
    fail: () => controller?.error(new TypeError('terminated')),
  }
}

/** A canonical frame of a note. */
export const note = (seq: number, session = 's'): string =>
  `event: note\nid: ${session}.${seq}.0\ndata: ${JSON.stringify({
    v: 1,
    seq,
    id: `${session}.${seq}`,
    ts: '2026-01-01T00:00:00.000Z',
    session_id: session,
    type: 'note',
    name: 'n',
    value: seq,
  })}\n\n`

/**
 * One request and its response. Routes know these interfaces alone and neither Node's nor a framework's objects.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Principal, RequestTrace } from '../access/principal.ts'

/** The other side of the connection. */
export interface Client {
  /** The response has ended, or its client has left. */
  isClosed(): boolean
  /** Calls `listener` once, at the end; at once if that has passed. Returns a function that unsubscribes. */
  onClose(listener: () => void): () => void
  /** Aborts the connection: the client sees a broken response, never a short one that looks complete. */
  destroy(): void
}

/** The body of a response whose headers are sent. */
export interface ResponseBody {
  /** `onTaken` is called when the system has taken the chunk; never before `write` has returned. */
  write(chunk: string | Uint8Array, onTaken: () => void): void
  /** Sends the headers without waiting for a chunk. */
  flush(): void
  /** Bytes that the system has not taken yet. */
  queued(): number
  end(): void
}

/**
 * The side of the host: the request as it came, and the way to respond. `node-host.ts` and
 * `fetch-host.ts` implement it.
 */
export interface HostExchange {
  readonly method: string
  /** Path and query below the base path, as they came. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  /** The address that the connection came in by, where the host knows it. */
  readonly localAddress: string | undefined
  /** The address at the other end of the connection, where the host knows it; no header is believed. */
  readonly remoteAddress: string | undefined
  /** The caller of a request of this very process, which has signed in already. */
  readonly principal: Principal | undefined
  readonly client: Client
  /** The request without its body, for code of the host that finds out who calls. */
  toRequest(): SignInRequest
  /** Throws `payload_too_large` above `limit` bytes. */
  readBody(limit: number): Promise<HostBody>
  /** The body as it comes, once. Ends with `bad_request` when it ends early. */
  readChunks(): AsyncIterable<Uint8Array>
  /** Sends status and headers. `isEmpty`: no body follows, whatever the headers say. */
  start(status: number, headers: ResponseHeaders, isEmpty: boolean): ResponseBody
}

/** `node` is there when the host is a Node server. */
export type SignInRequest = Request & {
  readonly node?: { readonly req: IncomingMessage; readonly res: ServerResponse }
}

/** The bytes of a body, or the value that a parser in front of this one has made of them. */
export type HostBody = { readonly bytes: Buffer } | { readonly value: unknown }

export type ResponseHeaders = Record<string, string>

export interface Exchange {
  /** Unique; the caller's own `x-request-id` if it is harmless to print. */
  readonly id: string
  readonly method: string
  /** Path and query below the base path, as they came. */
  readonly url: string
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  readonly headers: IncomingHttpHeaders
  /** JSON, or undefined when the request has none. */
  readonly body: unknown
  readonly principal: Principal
  readonly trail: RequestTrace
  readonly client: Client
  /** The headers of the response are sent. */
  readonly isStarted: boolean
  setHeader(name: string, value: string | number): void
  setHeaders(headers: Readonly<Record<string, string>>): void
  /** Sends status and headers; what the handler returns is not sent any more. */
  start(status: number): ResponseBody
  /** The body of a route that reads it itself. Throws `unsupported_media_type` for a compressed one. */
  readChunks(): AsyncIterable<Uint8Array>
  /** The query by the route's schema. Throws `bad_request`. */
  parseQuery(): unknown
  /** The body by the route's schema. Throws `bad_request`. */
  parseBody(): unknown
}

/** Ends when the client leaves. */
export function toSignal(client: Client): AbortSignal {
  const gone = new AbortController()
  client.onClose(() => gone.abort())
  return gone.signal
}

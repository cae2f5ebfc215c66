/** An exchange on its way through the pipeline: the host's side of it, the route, and what the steps have found. */
import { randomUUID } from 'node:crypto'
import { parseBody } from '@toolwire/wire'
import { LOCAL_OPERATOR, type Principal, type RequestTrace } from '../access/principal.ts'
import type { Exchange, HostExchange, ResponseBody, ResponseHeaders } from './exchange.ts'
import { checkEncoding } from './json-body.ts'
import { JSON_TYPE, Reply } from './reply.ts'
import type { RouteMatch } from './router.ts'

export class ServedExchange implements Exchange {
  readonly id: string
  readonly host: HostExchange
  readonly match: RouteMatch | undefined
  readonly startedAt = performance.now()
  readonly trail: RequestTrace
  principal: Principal = LOCAL_OPERATOR
  body: unknown
  status = 200
  isStarted = false
  readonly #headers: ResponseHeaders = {}

  constructor(host: HostExchange, match: RouteMatch | undefined, traceId?: string) {
    this.host = host
    this.match = match
    this.id = toRequestId(host.headers['x-request-id'])
    this.trail = { request_id: this.id, ...(traceId === undefined ? {} : { trace_id: traceId }) }
  }

  get method() {
    return this.host.method
  }
  get url() {
    return this.host.url
  }
  get headers() {
    return this.host.headers
  }
  get client() {
    return this.host.client
  }
  get params() {
    return this.match?.params ?? {}
  }
  get query() {
    return this.match?.query ?? {}
  }

  parseQuery(): unknown {
    const { query } = this.match?.route ?? {}
    if (!query) throw new TypeError('The route declares no query.')
    return parseBody(query, this.query)
  }

  parseBody(): unknown {
    const { body } = this.match?.route ?? {}
    if (!body) throw new TypeError('The route declares no body.')
    return parseBody(body, this.body)
  }

  readChunks(): AsyncIterable<Uint8Array> {
    checkEncoding(this.headers['content-encoding'])
    return this.host.readChunks()
  }

  setHeader(name: string, value: string | number): void {
    this.#headers[name] = String(value)
  }

  setHeaders(headers: Readonly<Record<string, string>>): void {
    Object.assign(this.#headers, headers)
  }

  getHeader(name: string): string | undefined {
    return this.#headers[name]
  }

  start(status: number): ResponseBody {
    return this.#start(status, this.method === 'HEAD')
  }

  #start(status: number, isEmpty: boolean): ResponseBody {
    this.status = status
    this.isStarted = true
    return this.host.start(status, this.#headers, isEmpty)
  }

  /** Sends what a handler returned. Rejects when the source of a body fails; the connection is aborted then. */
  async send(result: unknown): Promise<void> {
    const { status, body, contentType } =
      result instanceof Reply ? result : new Reply(200, { type: 'json', value: result }, JSON_TYPE)
    if (contentType !== undefined) this.#headers['content-type'] = contentType
    if (body.type === 'chunks') return await this.#sendChunks(status, body.chunks)
    if (this.client.isClosed()) return
    const bytes = body.type === 'json' ? JSON.stringify(body.value) : body.type === 'bytes' ? body.bytes : ''
    if (status !== 204 && status !== 304) this.#headers['content-length'] = String(Buffer.byteLength(bytes))
    const isEmpty = this.method === 'HEAD' || bytes.length === 0
    const sent = this.#start(status, isEmpty)
    if (isEmpty) return
    sent.write(bytes, () => {})
    sent.end()
  }

  async #sendChunks(status: number, chunks: AsyncIterable<string | Uint8Array>): Promise<void> {
    const { client } = this
    const isEmpty = this.method === 'HEAD'
    const sent = client.isClosed() ? undefined : this.#start(status, isEmpty)
    // A source that is not read must still be closed.
    if (!sent || isEmpty) return void (await chunks[Symbol.asyncIterator]().return?.())
    try {
      for await (const chunk of chunks) {
        await new Promise<void>(resolve => {
          const unsubscribe = client.onClose(resolve)
          sent.write(chunk, () => {
            unsubscribe()
            resolve()
          })
        })
        if (client.isClosed()) return
      }
    } catch (error) {
      client.destroy()
      throw error
    }
    sent.end()
  }
}

/** A caller's own id is kept when it is harmless to print. */
const toRequestId = (own: string | string[] | undefined): string =>
  typeof own === 'string' && /^[\w.-]{1,64}$/.test(own) ? own : randomUUID()

/**
 * Sends a request to a provider. Over node:http, which costs far less per open stream and per piece of one than
 * `fetch`; a caller's own `fetch`, and what only `fetch` can do, go by that.
 */
import type { ClientRequest, IncomingMessage } from 'node:http'
import { request as requestTls, Agent as TlsAgent } from 'node:https'
import type { LookupFunction } from 'node:net'
import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { createYield } from '@toolwire/core'
import { messageChunks } from './message-chunks.ts'
import { fromFetch, type ProviderResponse, readText } from './provider-response.ts'
import { bodyLength, bodyText, type RequestBody } from './request-body.ts'

/** Its types leave the options out. */
interface NodeAgent {
  readonly options: { readonly proxyEnv?: NodeJS.ProcessEnv }
}

export interface Post {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** A request without a body is a GET. */
  readonly body?: RequestBody
  readonly signal: AbortSignal
  /**
   * Resolves the host name for an address that must be checked: then every connection is new, no redirect is
   * followed, and no custom `fetch` is used.
   */
  readonly lookup?: LookupFunction | undefined
}

// An import would touch every export, and one of them loads the whole of `fetch` at the start.
const { Agent: PlainAgent, request: requestPlain, globalAgent } = process.getBuiltinModule('node:http')
/** Node's own agent has the proxies of the environment where the process uses them. */
const { proxyEnv } = (globalAgent as unknown as NodeAgent).options
const plainAgent = new PlainAgent({ keepAlive: true, ...(proxyEnv ? { proxyEnv } : {}) })
const tlsAgent = new TlsAgent({ keepAlive: true, ...(proxyEnv ? { proxyEnv } : {}) })
const REDIRECTS: ReadonlySet<number | undefined> = new Set([301, 302, 303, 307, 308])

const MAX_REDIRECTS = 3

/** Rejects without a response, with an error whose `code` or `cause` gives the reason. */
export async function post(
  request: Post,
  ownFetch?: typeof globalThis.fetch,
  redirects = MAX_REDIRECTS,
): Promise<ProviderResponse> {
  if (ownFetch && !request.lookup) return await byFetch(request, ownFetch)
  const url = new URL(request.url)
  // A password in an address is refused, and in the same words.
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    return await byFetch(request, globalThis.fetch)
  const message = await exchange(url, request)
  if (!REDIRECTS.has(message.statusCode)) return fromMessage(message)
  message.destroy()
  const target = URL.parse(message.headers.location ?? '', url)
  // A key goes to no other address than the one that it was given for.
  if (request.lookup || redirects === 0 || target?.origin !== url.origin)
    throw new Error(`${url.host} redirects, which is not followed`)
  return await post({ ...request, url: target.href }, undefined, redirects - 1)
}

const methodOf = ({ body }: Post): 'GET' | 'POST' => (body === undefined ? 'GET' : 'POST')

async function byFetch(request: Post, ownFetch: typeof globalThis.fetch): Promise<ProviderResponse> {
  const { url, headers, signal } = request
  const body = request.body ? bodyText(request.body) : null
  return fromFetch(
    await ownFetch(url, { method: methodOf(request), headers, body, signal, redirect: 'error' }),
  )
}

/** Never sent twice: the caller decides about retries. */
function exchange(url: URL, request: Post): Promise<IncomingMessage> {
  const { headers, body, signal, lookup } = request
  const isTls = url.protocol === 'https:'
  return new Promise((resolve, reject) => {
    const agent = lookup ? { agent: false, lookup } : { agent: isTls ? tlsAgent : plainAgent }
    const options = { method: methodOf(request), headers, ...agent }
    const outgoing = (isTls ? requestTls : requestPlain)(url, options)
    // Equivalent to `options.signal`, for a fraction of the memory of an open stream.
    const abort = (): void => void outgoing.destroy(toError(signal.reason))
    signal.addEventListener('abort', abort, { once: true })
    outgoing.once('close', () => signal.removeEventListener('abort', abort))
    outgoing.once('error', reject)
    outgoing.once('response', message => {
      // From here on the response reports errors.
      outgoing.off('error', reject)
      outgoing.on('error', ignore)
      resolve(message)
    })
    if (body) outgoing.setHeader('content-length', bodyLength(body))
    void writeBody(outgoing, body ?? [])
    if (signal.aborted) abort()
  })
}

/** Ends the request. A large body is written with other work in between. */
async function writeBody(outgoing: ClientRequest, body: RequestBody): Promise<void> {
  const yieldOften = createYield()
  for (const piece of body) {
    outgoing.write(piece)
    await yieldOften()
    if (outgoing.destroyed) return
  }
  outgoing.end()
}

const toError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)))

const ignore = (): void => {}

function fromMessage(message: IncomingMessage): ProviderResponse {
  const { statusCode: status = 0 } = message
  const body = decompressed(message)
  // Readers get the error; there may be no reader when it occurs.
  body.on('error', ignore)
  return {
    ok: status >= 200 && status < 300,
    status,
    headers: { get: name => toText(message.headers[name.toLowerCase()]) },
    chunks: () => messageChunks(body),
    text: most => readText(messageChunks(body), most),
  }
}

const toText = (value: string | readonly string[] | undefined): string | null =>
  value === undefined ? null : typeof value === 'string' ? value : value.join(', ')

/** Nothing but plain text is asked for; some servers compress all the same. */
function decompressed(message: IncomingMessage): Readable {
  const make = DECODERS[message.headers['content-encoding'] ?? '']
  return make ? pipeline(message, make(), ignore) : message
}

const DECODERS: Readonly<Record<string, () => ReturnType<typeof createGunzip>>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate as () => ReturnType<typeof createGunzip>,
  br: createBrotliDecompress as unknown as () => ReturnType<typeof createGunzip>,
}

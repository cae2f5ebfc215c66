/** A request of a Node server, or of a framework that hands its request and response on. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { AppError } from '@toolwire/core'
import { createClient } from './client.ts'
import type { Client, HostBody, HostExchange, ResponseBody } from './exchange.ts'
import { readTarget } from './request-target.ts'

/** Not imported, as in `listen.ts`: an import would load Node's `fetch`. */
const { write: nodeWrite } = process.getBuiltinModule('node:http').ServerResponse.prototype

/** `target` is the one of the request line, without the base path. */
export function toNodeHost(request: IncomingMessage, response: ServerResponse, target: string): HostExchange {
  // A reset by the client is reported by `close`, which follows.
  response.on('error', () => {})
  const { headers } = request
  const { url, host = authorityOf(headers) } = readTarget(target, request)
  return {
    method: request.method ?? 'GET',
    url,
    headers: headers.host === host ? headers : { ...headers, host },
    localAddress: request.socket.localAddress,
    remoteAddress: request.socket.remoteAddress,
    principal: undefined,
    client: toClient(response),
    toRequest: () => toRequest(request, response),
    readBody: limit => readBody(request, response, limit),
    readChunks: () => readChunks(request, response),
    start: (status, headers, isEmpty) => {
      // The host has responded itself, as a timeout in front of this does: nothing of ours may follow.
      if (response.headersSent) response.destroy()
      else response.writeHead(status, headers)
      if (isEmpty) response.end()
      return toBody(response)
    },
  }
}

/** The host of a request of HTTP/2, which has no Host header. */
function authorityOf(headers: IncomingHttpHeaders): string | undefined {
  const authority = headers[':authority']
  return typeof authority === 'string' ? authority : undefined
}

/** `close` of the response alone is reliable: that of the request may come before the body was read, or never. */
function toClient(response: ServerResponse): Client {
  const client = createClient(response.destroyed, () => response.destroy())
  response.once('close', client.close)
  return client
}

const toBody = (response: ServerResponse): ResponseBody => ({
  write:
    response.write === nodeWrite
      ? (chunk, onTaken) => void response.write(chunk, onTaken)
      : (chunk, onTaken) => writeThrough(response, chunk, onTaken),
  flush: () => response.flushHeaders(),
  queued: () => response.writableLength,
  end: () => void response.end(),
})

/** Middleware that wraps `write`, such as compression, drops callbacks, but keeps the result and `drain`. */
function writeThrough(response: ServerResponse, chunk: string | Uint8Array, onTaken: () => void): void {
  if (response.write(chunk)) queueMicrotask(onTaken)
  else response.once('drain', onTaken)
}

/** Without the body, which is read later. The objects of Node are at `node`. */
function toRequest(request: IncomingMessage & { readonly originalUrl?: string }, response: ServerResponse) {
  const { method = 'GET', url = '/', originalUrl = url, headers, socket } = request
  const scheme = 'encrypted' in socket ? 'https' : 'http'
  const at = URL.parse(originalUrl, `${scheme}://${headers.host ?? authorityOf(headers) ?? 'localhost'}`)
  // fetch knows no names in addresses, and refuses these methods.
  if (!at || at.username + at.password !== '') throw new AppError('bad_request')
  if (/^(?:CONNECT|TRACE|TRACK)$/i.test(method)) throw new AppError('method_not_allowed')
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    name.startsWith(':') ? [] : [value ?? []].flat().map((one): [string, string] => [name, one]),
  )
  return Object.assign(new Request(at, { method, headers: pairs }), { node: { req: request, res: response } })
}

async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  limit: number,
): Promise<HostBody> {
  const parsed = parsedBody(request)
  if (parsed) return parsed
  try {
    return { bytes: await readBytes(request, limit) }
  } catch (error) {
    closeAfter(request, response)
    throw error
  }
}

async function readBytes(request: IncomingMessage, limit: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw new AppError('payload_too_large')
  const chunks: Buffer[] = []
  let size = 0
  return await new Promise((resolve, reject) => {
    const end = (): void => {
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose)
    }
    const onData = (chunk: Buffer): void => {
      size += chunk.length
      chunks.push(chunk)
      if (size <= limit) return
      end()
      reject(new AppError('payload_too_large'))
    }
    const onEnd = (): void => {
      end()
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size))
    }
    const onClose = (): void => {
      end()
      reject(new AppError('bad_request', 'The body ended early.'))
    }
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose)
  })
}

async function* readChunks(request: IncomingMessage, response: ServerResponse): AsyncGenerator<Uint8Array> {
  const parsed = parsedBody(request)
  if (parsed && 'bytes' in parsed) return yield parsed.bytes
  if (parsed) throw new AppError('bad_request', 'The body was parsed before this request arrived here.')
  let isRead = false
  try {
    yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>
    isRead = true
  } catch {
    throw new AppError('bad_request', 'The body ended early.')
  } finally {
    if (!isRead) closeAfter(request, response)
  }
}

/** The rest of a body that is not read would be read as the next request. */
function closeAfter(request: IncomingMessage, response: ServerResponse): void {
  if (!response.headersSent && !isHttp2(request)) response.setHeader('connection', 'close')
}

/** The body as a parser in front has left it. Throws `bad_request` when it is consumed and no value is left. */
function parsedBody(request: IncomingMessage): HostBody | undefined {
  if (!hasBody(request)) return { bytes: Buffer.alloc(0) }
  const { body, rawBody } = request as { readonly body?: unknown; readonly rawBody?: unknown }
  for (const bytes of [rawBody, body])
    if (typeof bytes === 'string' || bytes instanceof Uint8Array) return { bytes: Buffer.from(bytes) }
  // Some parsers leave an empty object where they have read nothing.
  const isUnread = !request.readableDidRead && !request.readableEnded
  if (body !== undefined && body !== null && !(isUnread && isEmpty(body))) return { value: body }
  if (isUnread) return undefined
  throw new AppError(
    'bad_request',
    'The body was read before this request arrived here. Mount this handler before body parsers, or let them set req.body.',
  )
}

const isEmpty = (body: unknown): boolean => typeof body === 'object' && Object.keys(body ?? {}).length === 0

const isHttp2 = ({ httpVersionMajor }: IncomingMessage): boolean => httpVersionMajor >= 2

/** The headers of HTTP/2 do not say it. */
const hasBody = (request: IncomingMessage): boolean =>
  isHttp2(request) ||
  request.headers['transfer-encoding'] !== undefined ||
  Number(request.headers['content-length'] ?? 0) > 0

/** Listens with a Node server: the limits of its connections, and its end. */
import { randomUUID } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import type { RequestListener, Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { AppError } from '@toolwire/core'
import { toErrorBody } from '../errors.ts'

/** Not imported: an import reads every export of `node:http`, and some of them load Node's `fetch`. */
const { createServer } = process.getBuiltinModule('node:http')

export interface ListenOptions {
  readonly host: string
  readonly port: number
  readonly maxHeaderBytes: number
  readonly maxConnections: number
}

export interface Listener {
  readonly url: string
  /** Takes no new connections, and waits a little for open requests. Idempotent. */
  close(): Promise<void>
}

/** Connections that may wait while the process is busy: thousands come back at once after a restart. Systems cut it to their own limit. */
const BACKLOG = 4096
const REQUEST_TIMEOUT_MS = 120_000
const KEEP_ALIVE_MS = 72_000
const GRACE_MS = 3000

/** Binds. Throws when the address is taken. The name `localhost` binds all of its addresses that the machine has. */
export async function listen(handle: RequestListener, options: ListenOptions): Promise<Listener> {
  const { host } = options
  let isClosing = false
  const onRequest: RequestListener = (request, response) => {
    if (isClosing) response.setHeader('connection', 'close')
    handle(request, response)
  }
  const first = await bind(onRequest, options)
  const { address, family, port } = first.address() as AddressInfo
  const addresses = host === 'localhost' ? await lookup(host, { all: true }) : []
  const others = addresses.filter(other => other.address !== address)
  const further = await Promise.allSettled(
    others.map(other => bind(onRequest, { ...options, host: other.address, port })),
  )
  const servers = [first, ...further.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []))]
  let closed: Promise<unknown> | undefined
  return {
    url: `http://${toHost(address, family)}:${port}`,
    async close() {
      isClosing = true
      closed ??= Promise.all(servers.map(close))
      await closed
    },
  }
}

async function bind(onRequest: RequestListener, options: ListenOptions): Promise<Server> {
  const { host, port, maxHeaderBytes, maxConnections } = options
  const limits = {
    maxHeaderSize: maxHeaderBytes,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
  }
  const server = createServer(limits, onRequest)
  server.maxConnections = maxConnections
  server.on('clientError', rejectBrokenRequest)
  server.listen({ host, port, backlog: BACKLOG })
  await once(server, 'listening')
  return server
}

/** An address under which this machine reaches a server that listens on all of them. */
function toHost(address: string, family: string): string {
  if (address === '0.0.0.0') return '127.0.0.1'
  if (address === '::') return '[::1]'
  return family === 'IPv6' ? `[${address}]` : address
}

async function close(server: Server): Promise<void> {
  const late = setTimeout(() => server.closeAllConnections(), GRACE_MS)
  await new Promise<void>(resolve => {
    server.close(() => resolve())
    server.closeIdleConnections()
  })
  clearTimeout(late)
}

/** A request that is not HTTP never reaches a route; it still gets an error of the common shape. */
function rejectBrokenRequest(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const tooLarge = error.code === 'HPE_HEADER_OVERFLOW'
  const problem = tooLarge
    ? new AppError('payload_too_large', 'The headers are too large.')
    : new AppError('bad_request')
  const id = randomUUID()
  const body = JSON.stringify(toErrorBody(problem, id))
  const status = tooLarge ? '431 Request Header Fields Too Large' : '400 Bad Request'
  const head = `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nX-Request-Id: ${id}\r\nConnection: close\r\n\r\n`
  if (socket.writable) socket.write(head + body)
  socket.destroySoon()
}

/**
 * The door through which a test's requests come in: the server's own listener, `node` below a mount point as Express
 * has it, or `handler` without a socket. `TOOLWIRE_TEST_DOOR` chooses; tests do not know which one it is.
 */
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { Readable } from 'node:stream'
import type { Server } from '../src/index.ts'
import { hostServer } from './host-server.ts'

export type Door = 'listen' | 'mounted' | 'fetch'

const DOORS: readonly Door[] = ['listen', 'mounted', 'fetch']
export const DOOR: Door = DOORS.find(door => door === process.env['TOOLWIRE_TEST_DOOR']) ?? 'listen'

/** The base path of a server behind this door. */
export const basePathOf = (door: Door): string => (door === 'listen' ? '' : '/mounted')

export interface OpenDoor {
  /** Of the server's base path. */
  readonly url: string
  readonly close: () => Promise<void>
}

export async function openDoor(server: Server, door = DOOR): Promise<OpenDoor> {
  if (door === 'listen') return { url: await server.listen(), close: async () => {} }
  const base = basePathOf(door)
  const host = await hostServer(door === 'fetch' ? serveByFetch(server.handler) : mountAt(base, server.node))
  return { url: host.url + base, close: host.close }
}

/** As Express does below `app.use(base, handle)`. */
export const mountAt =
  (base: string, handle: Server['node']): RequestListener =>
  (request, response) => {
    const originalUrl = request.url ?? '/'
    const url = originalUrl.slice(base.length)
    Object.assign(request, { originalUrl, url: url.startsWith('/') ? url : `/${url}` })
    handle(request, response)
  }

/** A Node server in front of a handler that speaks fetch: as a host's adapter, with one read at a time. */
export const serveByFetch =
  (handler: (request: Request) => Promise<Response>): RequestListener =>
  async (request, response) => {
    const { method = 'GET', url = '/', headers } = request
    const left = new AbortController()
    response.once('close', () => left.abort())
    const pairs = Object.entries(headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((one): [string, string] => [name, one]),
    )
    const address = `http://127.0.0.1${url}`
    if (!toRequest(address, { method, headers: pairs })) {
      // A client that still sends its body would not read the response.
      request.resume()
      return void response.writeHead(400).end('{"error":{"code":"bad_request"}}')
    }
    const body = method === 'GET' || method === 'HEAD' ? null : (Readable.toWeb(request) as ReadableStream)
    const init = { method, headers: pairs, body, duplex: 'half', signal: left.signal } as const
    const asked = new Request(address, init)
    const answer = await handler(asked)
    // The client sends the rest of an unread body before it reads the response.
    if (asked.body?.locked === false) void asked.body.pipeTo(new WritableStream()).catch(() => {})
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    try {
      for await (const chunk of answer.body ?? [])
        if (!response.write(chunk)) await Promise.race([once(response, 'drain'), once(response, 'close')])
      response.end()
    } catch {
      response.destroy()
    }
  }

/** Undefined for a method or a URL that fetch does not know; a host answers these itself. */
function toRequest(url: string, init: RequestInit): Request | undefined {
  try {
    return new Request(url, init)
  } catch {
    return undefined
  }
}

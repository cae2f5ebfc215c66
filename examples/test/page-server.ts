/** A built page and the real server under one address, with a line between them that a test can cut. */
import { createReadStream, existsSync, statSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { extname, join, normalize } from 'node:path'
import { text } from 'node:stream/consumers'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
}

export interface PageRequest {
  readonly method: string
  readonly path: string
  readonly body: string
  /** Undefined until it is answered. */
  status?: number | undefined
}

export interface PageServer {
  readonly url: string
  /** Requests of the page to the server, in order. */
  readonly requests: readonly PageRequest[]
  /** Destroys every response that is being read, as a lost network does. */
  readonly cut: () => void
  /** Answers the next request of this method itself. */
  readonly failNext: (method: string, status: number, sentence: string) => void
  readonly stop: () => Promise<void>
}

/** Files of the folder are served, everything else goes to `upstream`, with the page's own host. */
export async function servePage(folder: string, upstream: string): Promise<PageServer> {
  const requests: PageRequest[] = []
  const lines = new Set<Socket>()
  const failures: { readonly method: string; readonly status: number; readonly sentence: string }[] = []
  const server = createServer((incoming, outgoing) => {
    const { pathname } = new URL(incoming.url ?? '/', 'http://page')
    const file = join(folder, normalize(pathname === '/' ? '/index.html' : pathname))
    if (incoming.method === 'GET' && existsSync(file) && statSync(file).isFile()) {
      outgoing.setHeader('content-type', TYPES[extname(file)] ?? 'application/octet-stream')
      createReadStream(file).pipe(outgoing)
      return
    }
    void pass(incoming, outgoing).catch(() => outgoing.destroy())
  })

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', headers, socket } = incoming
    const entry: PageRequest = { method, path: url, body: await text(incoming) }
    requests.push(entry)
    const at = failures.findIndex(one => one.method === method)
    const [failure] = at < 0 ? [] : failures.splice(at, 1)
    if (failure) {
      entry.status = failure.status
      outgoing.writeHead(failure.status, { 'content-type': 'text/plain; charset=utf-8' })
      outgoing.end(failure.sentence)
      return
    }
    const asked = request(new URL(url, upstream), { method, headers }, answer => {
      entry.status = answer.statusCode
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      lines.add(socket)
      answer.pipe(outgoing)
      answer.on('error', () => outgoing.destroy())
      answer.on('close', () => {
        lines.delete(socket)
        // A response that the server cut off is cut off here too: an end would look complete.
        if (!answer.complete) outgoing.destroy()
      })
    })
    asked.on('error', () => outgoing.destroy())
    outgoing.on('close', () => asked.destroy())
    asked.end(entry.body)
  }

  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    cut() {
      for (const socket of lines) socket.destroy()
    },
    failNext: (method, status, sentence) => void failures.push({ method, status, sentence }),
    async stop() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

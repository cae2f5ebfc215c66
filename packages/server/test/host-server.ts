/** A Node server around a handler, as an application has it; closed by the caller. */
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface HostServer {
  readonly http: Server
  /** Of a server that listens on a port. */
  readonly url: string
  readonly close: () => Promise<void>
}

/** Listens on a free port of 127.0.0.1, or on a socket in the file system. */
export async function hostServer(handle: RequestListener, path?: string): Promise<HostServer> {
  const http = createServer(handle)
  http.listen(path === undefined ? { port: 0, host: '127.0.0.1' } : { path })
  await once(http, 'listening')
  return {
    http,
    url: path === undefined ? `http://127.0.0.1:${(http.address() as AddressInfo).port}` : path,
    async close() {
      http.closeAllConnections()
      http.close()
      if (http.listening) await once(http, 'close')
    },
  }
}

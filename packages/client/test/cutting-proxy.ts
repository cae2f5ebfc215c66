/** A TCP proxy that breaks connections on purpose and remembers which POSTs went through it. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

export interface CuttingProxy {
  readonly url: string
  /** Every POST seen, repetitions included. */
  readonly posts: () => readonly { readonly path: string; readonly key: string | undefined }[]
  readonly connections: () => number
  /** Breaks every open connection now. */
  readonly breakAll: () => void
  readonly close: () => Promise<void>
}

/**
 * `cuts[i]` is how many bytes of answers the i-th connection carries before it is destroyed; -1
 * refuses it before the server sees anything. Connections beyond the list are left alone.
 */
export async function startProxy(target: string, cuts: readonly number[]): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target)
  const requests: string[] = []
  const sockets = new Set<Socket>()
  let count = 0
  const server: Server = createServer(client => {
    const left = cuts[count++] ?? Number.POSITIVE_INFINITY
    const index = requests.push('') - 1
    if (left < 0) {
      client.on('error', () => {})
      client.destroy()
      return
    }
    const upstream = connect(Number(port), hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    client.on('data', data => {
      requests[index] += data.toString('latin1')
      upstream.write(data)
    })
    passOn(upstream, client, left)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    posts: () => requests.flatMap(readPosts),
    connections: () => count,
    breakAll() {
      for (const socket of sockets) socket.destroy()
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

function passOn(upstream: Socket, client: Socket, limit: number): void {
  let left = limit
  upstream.on('data', data => {
    client.write(data.subarray(0, left))
    left -= data.length
    if (left <= 0) client.destroySoon()
  })
}

const readPosts = (text: string) =>
  [...text.matchAll(/POST (\S+) HTTP\/1\.1\r\n([\s\S]*?)\r\n\r\n/g)].map(([, path = '', headers = '']) => ({
    path,
    key: /^idempotency-key: (.*)$/im.exec(headers)?.[1]?.trim(),
  }))

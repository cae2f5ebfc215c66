/** Emulates a pooler without LISTEN: passes everything on, and answers LISTEN with an error. */
import { connect, createServer, type Socket } from 'node:net'

export interface RefusingProxy {
  readonly port: number
  /** The number of LISTEN attempts. */
  readonly refused: () => number
  readonly close: () => void
}

const QUERY = 'Q'.charCodeAt(0)

export async function startRefusingProxy(to: number): Promise<RefusingProxy> {
  const sockets = new Set<Socket>()
  let refused = 0
  const server = createServer(near => {
    const far = connect(to, '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    far.pipe(near)
    // The driver writes a simple query in one piece.
    near.on('data', data => {
      if (data[0] === QUERY && data.toString('latin1', 5).startsWith('listen ')) {
        refused += 1
        near.write(REFUSAL)
      } else far.write(data)
    })
  })
  const port = await new Promise<number>(resolve => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : 0)
    })
  })
  return {
    port,
    refused: () => refused,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** A message of PostgreSQL's protocol: type, length with itself, body. */
function message(type: string, body: string): Buffer {
  const bytes = Buffer.from(body, 'latin1')
  const head = Buffer.alloc(5)
  head.write(type, 'latin1')
  head.writeInt32BE(bytes.length + 4, 1)
  return Buffer.concat([head, bytes])
}

const REFUSAL = Buffer.concat([
  message('E', 'SERROR\0C0A000\0Mlistening is not supported here\0\0'),
  message('Z', 'I'),
])

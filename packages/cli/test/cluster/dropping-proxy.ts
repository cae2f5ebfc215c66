/** A TCP proxy that can fall silent: connections stay open and nothing passes, as in a partition of a network. */
import { connect, createServer, type Socket } from 'node:net'

export interface DroppingProxy {
  readonly port: number
  /** From now on nothing passes in either direction; data in flight is held back. */
  readonly cut: () => void
  /** Lets everything pass again, late. */
  readonly heal: () => void
  /** Breaks every connection; new ones go to another port, as when an address moves to another machine. */
  readonly redirect: (to: number) => void
  readonly close: () => void
}

export async function startDroppingProxy(to: number): Promise<DroppingProxy> {
  const sockets = new Set<Socket>()
  let isCut = false
  let target = to
  function relay(from: Socket, into: Socket): void {
    sockets.add(from)
    from.on('data', data => {
      if (!into.write(data) && !isCut) {
        from.pause()
        into.once('drain', () => {
          if (!isCut) from.resume()
        })
      }
    })
    from.on('error', () => into.destroy())
    from.on('close', () => {
      sockets.delete(from)
      into.destroy()
    })
    if (isCut) from.pause()
  }
  const server = createServer(near => {
    const far = connect(target, '127.0.0.1')
    relay(near, far)
    relay(far, near)
  })
  const port = await new Promise<number>(resolve => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : 0)
    })
  })
  return {
    port,
    cut() {
      isCut = true
      for (const socket of sockets) socket.pause()
    },
    heal() {
      isCut = false
      for (const socket of sockets) socket.resume()
    },
    redirect(other) {
      target = other
      for (const socket of sockets) socket.destroy()
    },
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Many clients of a busy server: everyone waits in line, and none is rejected. */
import { readFileSync } from 'node:fs'
import { createConnection, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { inFolder, launch } from '../launch.ts'

/** What the system lets wait at most; more than that would be its refusal and not the server's. */
const LIMIT = Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'))
const CROWD = Math.min(1500, Math.floor(LIMIT * 0.75))

const connect = (port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = createConnection({ port, host: '127.0.0.1' })
    socket.once('connect', () => resolve(socket)).once('error', reject)
  })

/** The first line of the answer. */
const ask = (socket: Socket): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ''
    socket.setEncoding('utf8').on('data', chunk => {
      text += String(chunk)
    })
    socket.once('error', reject).once('close', () => resolve(text.split('\r\n')[0] ?? ''))
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
  })

test('connections that come while the server can do nothing are all taken, and all answered when it can', async () => {
  await inFolder(async dir => {
    const server = await launch(dir)
    const port = Number(new URL(server.url).port)
    server.child.kill('SIGSTOP')
    let lines: readonly string[]
    try {
      const sockets = await Promise.all(Array.from({ length: CROWD }, () => connect(port)))
      const answers = sockets.map(ask)
      server.child.kill('SIGCONT')
      lines = await Promise.all(answers)
    } finally {
      server.child.kill('SIGCONT')
    }
    expect(lines.filter(line => line !== 'HTTP/1.1 200 OK')).toEqual([])
    expect(lines).toHaveLength(CROWD)
    await server.stop()
  })
})

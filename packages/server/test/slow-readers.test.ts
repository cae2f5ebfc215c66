import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { answerRules } from '@toolwire/tools'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createServer, type Server } from '../src/index.ts'
import { type HostServer, hostServer } from './host-server.ts'
import { splitConfig, type TestConfig } from './split-config.ts'
import { createVirtualStore, VIRTUAL_SESSION, type VirtualStore } from './virtual-store.ts'

// Sockets of the file system: the kernel buffers little of them, so that readers stall soon and alike everywhere.
let folder: string
let store: VirtualStore
let server: Server
let host: HostServer
let clients: Socket[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolwire-slow-'))
  store = createVirtualStore()
  clients = []
})
afterEach(async () => {
  for (const client of clients) client.destroy()
  await server.close()
  await host.close()
  rmSync(folder, { recursive: true, force: true })
})

async function listen(config: TestConfig): Promise<string> {
  const ids = { uuid: () => 'u', prefixed: (prefix: string) => `${prefix}1` }
  const clock = { now: () => new Date(0) }
  server = await createServer({
    store,
    runtime: { wake() {} },
    rules: answerRules,
    ...splitConfig(config),
    ids,
    clock,
  })
  const path = join(folder, 's')
  host = await hostServer(server.node, path)
  return path
}

const REQUEST = `GET /api/sessions/${VIRTUAL_SESSION}/events?wire=chat&follow=true HTTP/1.1\r\nHost: localhost\r\n\r\n`

/** Asks for the stream and takes nothing after the headers. All share one buffer, so that they cost this process little. */
function openStalled(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const callback = (): boolean => {
      resolve(socket)
      return false
    }
    const socket = connect({ path, onread: { buffer: SHARED, callback } })
    clients.push(socket)
    socket.on('error', reject)
    socket.write(REQUEST)
  })
}
const SHARED = new Uint8Array(4096)

/** Asks for the stream and stops after its first bytes, until it is resumed. */
function openPaused(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path)
    clients.push(socket)
    socket.on('error', reject)
    socket.once('readable', () => {
      socket.read()
      socket.pause()
      resolve(socket)
    })
    socket.write(REQUEST)
  })
}

/** Everything is quiet when the log was not read for many turns of the event loop, which carries both sides. */
async function quiet(): Promise<void> {
  for (let same = 0, before = -1; same < 500; await turn()) {
    same = before === store.reads() ? same + 1 : 0
    before = store.reads()
  }
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
function megabytes(): number {
  collect()
  collect()
  const { heapUsed, external, arrayBuffers } = process.memoryUsage()
  // Buffers made by JavaScript are counted in both, those of the system in the second only.
  return (heapUsed + Math.max(external, arrayBuffers)) / 1024 / 1024
}

describe('slow readers', () => {
  it('cost no more than a chunk each, however long the session gets', async () => {
    const path = await listen({ pollMs: 60_000, stallMs: 600_000 })
    for (let i = 0; i < 1000; i += 50) await Promise.all(Array.from({ length: 50 }, () => openStalled(path)))
    expect(server.context.streams.size()).toBe(1000)
    await quiet()
    const before = megabytes()
    store.grow(4000)
    await quiet()
    const half = megabytes()
    store.grow(8000)
    await quiet()
    const after = megabytes()
    expect(half - before).toBeLessThan(40)
    expect(after - half).toBeLessThan(5)
    expect(server.context.streams.size()).toBe(1000)
  })

  it('are cut off once they have taken nothing for too long', async () => {
    const path = await listen({ pollMs: 60_000, stallMs: 50, heartbeatMs: 1000 })
    const socket = await openPaused(path)
    const closed = new Promise<void>(resolve => socket.once('close', () => resolve()))
    store.grow(50_000)
    await quiet()
    while (server.context.streams.size() > 0) await turn()
    socket.resume()
    await closed
  })

  it('get every frame in order when they resume reading', async () => {
    const path = await listen({ pollMs: 60_000 })
    const socket = await openPaused(path)
    store.grow(5000)
    await quiet()
    let text = ''
    const all = new Promise<void>(resolve => {
      socket.on('data', chunk => {
        text += chunk
        if (text.includes(`${VIRTUAL_SESSION}.5000.0`) && text.includes('word 5000 ')) resolve()
      })
    })
    socket.resume()
    await all
    const numbers = [...text.matchAll(/"content":"word (\d+) "/g)].map(([, n]) => Number(n))
    expect(numbers).toEqual(Array.from({ length: 4997 }, (_, i) => i + 4))
  })
})

describe('an idle stream', () => {
  it('is kept alive by comments, and polled in case a hint was lost', async () => {
    const path = await listen({ heartbeatMs: 40, pollMs: 20 })
    const socket = await openPaused(path)
    let text = ''
    const beats = new Promise<void>(resolve => {
      socket.on('data', chunk => {
        text += chunk
        if (text.split(': hb\n\n').length > 3) resolve()
      })
    })
    const reads = store.reads()
    socket.resume()
    await beats
    expect(store.reads()).toBeGreaterThan(reads)
  })
})

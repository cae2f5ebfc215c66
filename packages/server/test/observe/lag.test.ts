/** The lag metric, as a Prometheus parser reads it from a server with a slow reader. */

import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { answerRules } from '@toolwire/tools'
import parsePrometheus from 'parse-prometheus-text-format'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createInstruments, createServer, type Server } from '../../src/index.ts'
import { type HostServer, hostServer } from '../host-server.ts'
import { createVirtualStore, VIRTUAL_SESSION } from '../virtual-store.ts'

let folder: string
let server: Server | undefined
let host: HostServer | undefined
let client: Socket | undefined
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolwire-lag-'))
})
afterEach(async () => {
  client?.destroy()
  await server?.close()
  await host?.close()
  rmSync(folder, { recursive: true, force: true })
})

interface Family {
  readonly name: string
  readonly metrics: readonly { readonly value?: string }[]
}

async function lagAt(socketPath: string): Promise<number> {
  const text = await new Promise<string>((resolve, reject) => {
    const asked = request(
      { socketPath, path: '/metrics', headers: { host: 'localhost' } },
      async response => {
        let body = ''
        for await (const chunk of response) body += String(chunk)
        resolve(body)
      },
    )
    asked.on('error', reject).end()
  })
  const families = parsePrometheus(text) as readonly Family[]
  return Number(families.find(family => family.name === 'toolwire_log_lag_events')?.metrics[0]?.value)
}

/** Asks for the stream of all events, and takes nothing after its first bytes. */
function openPaused(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path)
    socket.on('error', reject)
    socket.once('readable', () => {
      socket.read()
      socket.pause()
      resolve(socket)
    })
    const url = `/api/sessions/${VIRTUAL_SESSION}/events?wire=chat&follow=true`
    socket.write(`GET ${url} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  })
}

it('gives the events that the slowest reader has yet to get, and none once it has read them', async () => {
  const store = createVirtualStore()
  const path = join(folder, 's')
  server = await createServer({
    store,
    runtime: { wake() {} },
    rules: answerRules,
    settings: { pollMs: 60_000 },
    instruments: createInstruments(),
    ids: { uuid: () => 'u', prefixed: prefix => `${prefix}1` },
    clock: { now: () => new Date(0) },
  })
  host = await hostServer(server.node, path)
  expect(await lagAt(path)).toBe(0)
  client = await openPaused(path)
  store.grow(20_000)
  await expect.poll(() => lagAt(path), { timeout: 60_000 }).toBeGreaterThan(1000)
  client.resume()
  await expect.poll(() => lagAt(path), { timeout: 60_000 }).toBe(0)
})

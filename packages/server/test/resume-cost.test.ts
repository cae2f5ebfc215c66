/** What a reader that comes back costs: of the log itself only what it has not seen is read. */
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createServer, type Server } from '../src/index.ts'
import { readUntil } from './read-sse.ts'
import { createVirtualStore, VIRTUAL_SESSION } from './virtual-store.ts'

const LENGTH = 100_000
let server: Server
let places: number[]
let grow: (head: number) => void

beforeEach(async () => {
  const virtual = createVirtualStore()
  places = []
  grow = virtual.grow
  const store: typeof virtual = {
    ...virtual,
    read(session, after, max) {
      places.push(after)
      return virtual.read(session, after, max)
    },
  }
  virtual.grow(LENGTH)
  const ids = { uuid: () => 'u', prefixed: (prefix: string) => `${prefix}1` }
  const clock = { now: () => new Date(0) }
  server = await createServer({ store, runtime: { wake() {} }, config: {}, ids, clock })
  await server.app.listen({ port: 0, host: '127.0.0.1' })
})
afterEach(() => server.close())

it('a reader of the canonical wire that stays is served from its place on, without a look at what lies before', async () => {
  const { port } = server.app.server.address() as AddressInfo
  const place = `${VIRTUAL_SESSION}.${LENGTH - 2}.0`
  const response = await fetch(
    `http://127.0.0.1:${port}/api/sessions/${VIRTUAL_SESSION}/events?wire=canonical&follow=1`,
    { headers: { 'last-event-id': place } },
  )
  grow(LENGTH + 1)
  const frames = await readUntil(response, seen => seen.length === 3)
  expect(frames.map(frame => frame.id)).toEqual(
    [LENGTH - 1, LENGTH, LENGTH + 1].map(seq => `${VIRTUAL_SESSION}.${seq}.0`),
  )
  expect(Math.min(...places)).toBeGreaterThanOrEqual(LENGTH - 3)
})

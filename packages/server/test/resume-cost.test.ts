/** What a reader that comes back costs: of the log itself only what it has not seen is read. */

import { answerRules } from '@toolwire/tools'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createServer, type Server } from '../src/index.ts'
import { readUntil } from './read-sse.ts'
import { createVirtualStore, VIRTUAL_SESSION } from './virtual-store.ts'

const LENGTH = 100_000
let server: Server
let url: string
let places: number[]
/** How many records each read brought, and how long the text of each of them is made. */
let pages: number[]
let padding: number
let grow: (head: number) => void

beforeEach(async () => {
  const virtual = createVirtualStore()
  places = []
  pages = []
  padding = 0
  grow = virtual.grow
  const store: typeof virtual = {
    ...virtual,
    async read(session, after, max) {
      places.push(after)
      const records = await virtual.read(session, after, max)
      pages.push(records.length)
      return records.map(rec =>
        rec.ev.type === 'block.delta' ? { ...rec, ev: { ...rec.ev, text: 'x'.repeat(padding) } } : rec,
      )
    },
  }
  virtual.grow(LENGTH)
  const ids = { uuid: () => 'u', prefixed: (prefix: string) => `${prefix}1` }
  const clock = { now: () => new Date(0) }
  server = await createServer({
    store,
    runtime: { wake() {} },
    rules: answerRules,
    settings: { port: 0 },
    ids,
    clock,
  })
  url = await server.listen()
})
afterEach(() => server.close())

function follow(from: number): Promise<Response> {
  return fetch(`${url}/api/sessions/${VIRTUAL_SESSION}/events?wire=canonical&follow=1`, {
    headers: { 'last-event-id': `${VIRTUAL_SESSION}.${from}.0` },
  })
}

it('a reader of the canonical wire that stays is served from its place on, without a look at what lies before', async () => {
  const response = await follow(LENGTH - 2)
  grow(LENGTH + 1)
  const frames = await readUntil(response, seen => seen.length === 3)
  expect(frames.map(frame => frame.id)).toEqual(
    [LENGTH - 1, LENGTH, LENGTH + 1].map(seq => `${VIRTUAL_SESSION}.${seq}.0`),
  )
  expect(Math.min(...places)).toBeGreaterThanOrEqual(LENGTH - 3)
})

it('of large events not many more are read than the reader takes, and of small ones many at a time', async () => {
  padding = 20_000
  await readUntil(await follow(LENGTH - 50), seen => seen.length === 50)
  expect(pages.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(2 * 50 + 16)
  pages = []
  padding = 10
  await readUntil(await follow(LENGTH - 400), seen => seen.length === 400)
  expect(pages.length).toBeLessThan(400 / 20)
})

/** A client that leaves before the first byte of its answer: its run is stopped, wherever the request was. */
import type { Store } from '@toolwire/core'
import { createMemoryStore } from '@toolwire/store'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Gateway, startGateway } from './gateway-server.ts'

/** A store whose next write waits until it is let through. */
function createSlowStore(): Store & { readonly reached: Promise<void>; readonly pass: () => void } {
  const store = createMemoryStore()
  const gate = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  const append = store.append.bind(store)
  return Object.assign(store, {
    reached: reached.promise,
    pass: () => gate.resolve(),
    async append(writes: Parameters<Store['append']>[0]) {
      reached.resolve()
      await gate.promise
      return await append(writes)
    },
  })
}

let gateway: Gateway
let store: ReturnType<typeof createSlowStore>
beforeEach(async () => {
  store = createSlowStore()
  gateway = await startGateway({ store })
})
afterEach(async () => {
  await gateway.close()
  await store.close()
})

const messages = [{ role: 'user', content: 'silence' }]
const BODIES: Readonly<Record<string, object>> = {
  '/v1/chat/completions': { messages },
  '/v1/messages': { max_tokens: 9, messages },
  '/v1/responses': { input: 'silence' },
}

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

function ask(path: string, stream: boolean) {
  const leave = new AbortController()
  const answer = fetch(gateway.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ stream, ...BODIES[path] }),
    signal: leave.signal,
  })
  return { leave: () => leave.abort(), gone: answer.then(() => 'answered').catch(() => 'gone') }
}

/** The server's side knows that the connection is closed. */
async function disconnected(): Promise<void> {
  const open = (): Promise<number> =>
    new Promise((resolve, reject) =>
      gateway.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    )
  while ((await open()) > 0) await turn()
}

async function ended(): Promise<string> {
  const [row] = (await gateway.store.list({ limit: 1 })).items
  const records = await gateway.store.read(row?.id ?? '', 0, 1000)
  return records.at(-1)?.ev.type ?? 'nothing'
}

describe.each(Object.keys(BODIES))('a client of %s', path => {
  test.each([true, false])(
    'that leaves while its model is silent (stream: %s) stops its run',
    async stream => {
      store.pass()
      const { leave, gone } = ask(path, stream)
      while (gateway.model.requests.length === 0) await turn()
      leave()
      expect(await gone).toBe('gone')
      await gateway.model.aborted
      await gateway.settled()
      expect(await ended()).toBe('run.cancelled')
    },
  )

  test.each([true, false])(
    'that leaves before its run is stored (stream: %s) stops its run',
    async stream => {
      const { leave, gone } = ask(path, stream)
      await store.reached
      leave()
      expect(await gone).toBe('gone')
      await disconnected()
      store.pass()
      while ((await ended()) !== 'run.cancelled') await turn()
      await gateway.settled()
      expect(await gateway.left()).toBeUndefined()
    },
  )
})

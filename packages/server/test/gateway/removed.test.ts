/** Sessions that are deleted under a request that waits for its whole response, also without a notification. */
import type { Store } from '@toolwire/core'
import { createMemoryStore } from '@toolwire/store'
import { afterEach, expect, test } from 'vitest'
import { type Gateway, startGateway } from './gateway-server.ts'

let gateway: Gateway
afterEach(() => gateway.close())

/** Its watchers hear of every change but removals, as when another machine's hint is lost. */
function deafStore(): Store {
  const store = createMemoryStore()
  const watch = store.watch.bind(store)
  const value: Store['watch'] = listener =>
    watch((session, head) => (head === 0 ? undefined : listener(session, head)))
  return Object.defineProperty(store, 'watch', { value })
}

const message = { role: 'user', content: 'hang' }
const REQUESTS = [
  ['/v1/chat/completions', { model: 'demo', messages: [message] }],
  ['/v1/messages', { model: 'demo', max_tokens: 9, messages: [message] }],
  ['/v4/response', { input: 'hang', stream: false }],
] as const

test.each(REQUESTS.flatMap(([path, body]) => [false, true].map(deaf => ({ path, body, deaf }))))(
  '$path answers 410 when its session is deleted (hint lost: $deaf)',
  async ({ path, body, deaf }) => {
    // Without polling the hint alone must do; without hints the polling must.
    const config = { pollMs: deaf ? 20 : 600_000 }
    gateway = await startGateway({ config, ...(deaf ? { store: deafStore() } : {}) })
    const waiting = gateway.post(path, body)
    while (gateway.model.requests.length === 0) await new Promise(resolve => setImmediate(resolve))
    const [row] = (await gateway.store.list({ limit: 1 })).items
    // The request must be waiting, not still on its way to it: its first delta is in the log then.
    while (!(await gateway.store.read(row?.id ?? '', 0, 100)).some(({ ev }) => ev.type === 'block.delta'))
      await new Promise(resolve => setImmediate(resolve))
    const removed = await fetch(`${gateway.url}/api/sessions/${row?.id}`, { method: 'DELETE' })
    expect(removed.status).toBe(204)
    const response = await waiting
    expect(response.status).toBe(410)
    expect(JSON.stringify(await response.json())).toMatch(/deleted/i)
  },
)

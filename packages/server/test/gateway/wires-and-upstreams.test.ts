/** Every wire in front of every provider API: parallel calls, their results and the same words, over strict upstreams. */
import type { ModelFinder, SessionEvent, Store } from '@toolwire/core'
import { createDemoModel, type FakeUpstream, startFakeUpstream } from '@toolwire/demo'
import { createKeyPool, createModelFinder } from '@toolwire/models'
import { createMemoryStore } from '@toolwire/store'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Gateway, startGateway } from './gateway-server.ts'
import { WIRE_CLIENTS } from './wire-clients.ts'

let upstream: FakeUpstream
let models: ModelFinder

beforeEach(async () => {
  upstream = await startFakeUpstream()
  const entry = { keys: createKeyPool(['key']), retries: 0 }
  const entries = [
    { ...entry, name: 'anthropic-api', api: 'anthropic', baseUrl: upstream.url },
    { ...entry, name: 'chat-api', api: 'openai-chat', baseUrl: `${upstream.url}/v1` },
    { ...entry, name: 'responses-api', api: 'openai-responses', baseUrl: `${upstream.url}/v1` },
  ] as const
  models = createModelFinder({ demo: createDemoModel({ paceMs: 0 }), providers: () => entries })
})
afterEach(() => upstream.close())

const PATHS: Readonly<Record<string, string>> = {
  'anthropic-api': '/v1/messages',
  'chat-api': '/v1/chat/completions',
  'responses-api': '/v1/responses',
}

const start = (store?: Store): Promise<Gateway> =>
  startGateway({ models, config: { checkModel: id => void models(id) }, ...(store ? { store } : {}) })

const sessionsOf = async (
  gateway: Gateway,
): Promise<readonly { readonly id: string; readonly status: string }[]> =>
  (await gateway.get('/api/sessions')).sessions

/** The text of the latest message. */
const lastText = (log: readonly SessionEvent[]): string =>
  log.flatMap(ev => (ev.type === 'block.completed' && ev.text ? [ev.text] : [])).at(-1) ?? ''

describe.each(Object.entries(WIRE_CLIENTS))('a client of the wire %s', (_name, { ask }) => {
  test.each(Object.keys(PATHS))('runs its tools with a model of %s', async name => {
    const gateway = await start()
    const { calls, answer } = await ask(gateway, `${name}/some-model`)
    expect(calls.length).toBeGreaterThan(0)
    expect(new Set(calls).size).toBe(calls.length)
    expect(await answer(gateway)).toContain('sunny')
    expect(upstream.requests).toHaveLength(2)
    for (const request of upstream.requests) expect(request.path).toBe(PATHS[name])
    expect(await sessionsOf(gateway)).toHaveLength(1)
    await gateway.close()
  })

  test.each(Object.keys(PATHS))('gets the same from %s after a kill at any event', async name => {
    const store = createMemoryStore()
    const whole = await start(store)
    const { answer } = await ask(whole, `${name}/some-model`)
    await answer(whole)
    const [{ id } = { id: '' }] = await sessionsOf(whole)
    const records = await store.read(id, 0, 10_000)
    await whole.close()
    const begun = records.findIndex(({ ev }) => ev.type === 'input.message')
    for (let cut = begun + 1; cut < records.length; cut += 1) {
      const events = records.slice(0, cut).map(({ ev }) => ev)
      const prefix = createMemoryStore()
      await prefix.append([{ session: id, create: true, events, state: 'running' }])
      const gateway = await start(prefix)
      await gateway.settled()
      const { status } = await gateway.get(`/api/sessions/${id}`)
      const isAnswered = events.some(ev => ev.type === 'input.tool_output')
      expect([cut, status]).toEqual([cut, isAnswered ? 'idle' : 'paused'])
      // The call of an interrupted message is another one.
      const isWhole = events.some(ev => ev.type === 'turn.completed')
      if (!isAnswered && isWhole)
        expect([cut, await answer(gateway, id)]).toEqual([cut, expect.stringContaining('sunny')])
      const log = (await prefix.read(id, 0, 10_000)).map(({ ev }) => ev)
      expect([cut, log.filter(ev => ev.type === 'run.failed')]).toEqual([cut, []])
      if (isAnswered) expect([cut, lastText(log)]).toEqual([cut, expect.stringContaining('sunny')])
      await gateway.close()
      await prefix.close()
    }
    await store.close()
  })
})

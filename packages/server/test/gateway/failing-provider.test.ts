/** A provider that is down: requests with another model do not wait for it again and again. */
import { createDemoModel, startFakeUpstream } from '@toolwire/demo'
import { createKeyPool, createModelFinder } from '@toolwire/models'
import { expect, test } from 'vitest'
import { startGateway } from './gateway-server.ts'

test('a provider that failed five times is passed over until it answers again', async () => {
  const [one, two] = await Promise.all([startFakeUpstream(), startFakeUpstream()])
  const entry = (name: string, url: string) =>
    ({ name, api: 'openai-chat', baseUrl: `${url}/v1`, keys: createKeyPool(['key']), retries: 0 }) as const
  const entries = [entry('one', one.url), entry('two', two.url)]
  const models = createModelFinder({ demo: createDemoModel({ paceMs: 0 }), providers: () => entries })
  const gateway = await startGateway({ models })
  try {
    const ask = async (fallback?: string) => {
      const headers: Record<string, string> = fallback === undefined ? {} : { 'x-fallback-models': fallback }
      const response = await gateway.post('/v1/responses', { model: 'one/m', input: 'hello' }, headers)
      return { status: response.status, warnings: (await response.json()).warnings }
    }
    one.strike('503;times=5')
    for (let n = 0; n < 5; n++) expect((await ask('two/m')).status).toBe(200)
    expect([one.requests.length, two.requests.length]).toEqual([5, 5])
    expect(await ask('two/m')).toMatchObject({ status: 200, warnings: [{ code: 'fallback_model' }] })
    expect([one.requests.length, two.requests.length]).toEqual([5, 6])
    // Without another model it is asked, and answers.
    expect((await ask()).status).toBe(200)
    expect((await ask('two/m')).warnings).toBeUndefined()
    expect([one.requests.length, two.requests.length]).toEqual([7, 6])
  } finally {
    await gateway.close()
    await Promise.all([one.close(), two.close()])
  }
})

test('providers that all fail are asked in their order', async () => {
  const upstream = await startFakeUpstream({ fault: '503' })
  const entry = {
    keys: createKeyPool(['key']),
    retries: 0,
    api: 'openai-chat',
    baseUrl: `${upstream.url}/v1`,
  } as const
  const entries = [
    { ...entry, name: 'one' },
    { ...entry, name: 'two', baseUrl: `${upstream.url}/v1/` },
  ]
  const models = createModelFinder({ demo: createDemoModel({ paceMs: 0 }), providers: () => entries })
  const gateway = await startGateway({ models })
  try {
    const ask = () =>
      gateway.post('/v1/responses', { model: 'one/m', input: 'hello' }, { 'x-fallback-models': 'two/m' })
    for (let n = 0; n < 6; n++) expect((await ask()).status).toBe(503)
    expect(upstream.requests).toHaveLength(12)
  } finally {
    await gateway.close()
    await upstream.close()
  }
})

/** Several providers at once: each id reaches its own provider, with that provider's key, headers and rules alone. */
import type { Model } from '@toolwire/core'
import { type FakeUpstream, startFakeUpstream } from '@toolwire/demo'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createModelFinder, splitModelId } from '../../src/finder.ts'
import { chooseApi } from '../../src/openai-responses/choose-api.ts'
import { knowModel } from '../../src/providers/know-model.ts'
import type { ProviderEntry } from '../../src/providers/provider-entry.ts'
import { createKeyPool } from '../../src/shared/key-pool.ts'
import { collect, request, said } from '../collect.ts'
import { scriptedModel, TEXT } from '../scripted-model.ts'

const entry = (name: string, more: Partial<ProviderEntry> = {}): ProviderEntry => ({
  name,
  api: 'openai-chat',
  keys: createKeyPool([`key-of-${name}-123456`]),
  ...more,
})
const find = (list: readonly ProviderEntry[]) =>
  createModelFinder({ demo: scriptedModel(), providers: () => list, retry: { maxRetries: 0 } })

describe('ids of models', () => {
  it.for([
    ['openrouter/moonshotai/kimi-k2.5:free', 'openrouter', 'moonshotai/kimi-k2.5:free'],
    ['ollama/qwen3:8b', 'ollama', 'qwen3:8b'],
    ['claude-opus-5', 'anthropic', 'claude-opus-5'],
    ['gpt-5.5', 'openai', 'gpt-5.5'],
    ['o3', 'openai', 'o3'],
    ['openai/ft:gpt-5:org::1', 'openai', 'ft:gpt-5:org::1'],
    ['azure/', 'azure', ''],
    ['/x', '', 'x'],
    ['llama', '', 'llama'],
  ] as const)('%s belongs to %s', ([id, provider, model]) => {
    expect(splitModelId(id)).toEqual({ provider, model })
  })

  it('name a provider that exists, or the error lists those that do', () => {
    const finder = find([entry('ollama', { models: { 'qwen3:8b': {} } })])
    expect(() => finder('olama/qwen3:8b')).toThrow(/Did you mean "ollama\/qwen3:8b"\? .*"ollama\/<id>"/)
    for (const id of ['ollama/', '__proto__/x', 'constructor/x']) expect(() => finder(id)).toThrow(/No model/)
  })
})

it.for([
  ['gpt-7-x', true, 'openai-responses'],
  ['gpt-6-astra', true, 'openai-responses'],
  ['ft:gpt-5:org::1', true, 'openai-responses'],
  ['ft:gpt-4.1:org::1', true, 'openai-chat'],
  ['gpt-4o-search-preview', true, 'openai-chat'],
  ['o3', true, 'openai-responses'],
  ['gpt-6-astra', false, 'openai-chat'],
] as const)('%s at the official host (%s) uses %s', ([id, isOfficial, api]) => {
  expect(chooseApi(id, isOfficial)).toBe(api)
})

describe('six providers on six ports', () => {
  const names = ['openai', 'ollama', 'openrouter', 'azure', 'gemini', 'claude-proxy'] as const
  const upstreams = new Map<string, FakeUpstream>()
  beforeAll(async () => {
    for (const name of names)
      upstreams.set(
        name,
        await startFakeUpstream({ model: scriptedModel(), ...(name === 'ollama' ? { apiKey: false } : {}) }),
      )
  })
  afterAll(async () => {
    for (const upstream of upstreams.values()) await upstream.close()
  })
  const url = (name: string): string => upstreams.get(name)?.url ?? ''

  it('each get their own key, header and query, and no other', async () => {
    const list = [
      entry('openai', { api: 'openai-responses', baseUrl: `${url('openai')}/v1` }),
      entry('ollama', { keys: createKeyPool([]), baseUrl: `${url('ollama')}/v1` }),
      entry('openrouter', {
        baseUrl: `${url('openrouter')}/v1`,
        headers: { 'http-referer': 'https://x.example' },
      }),
      entry('azure', { auth: 'api-key', query: { 'api-version': 'preview' }, baseUrl: `${url('azure')}/v1` }),
      entry('gemini', { baseUrl: `${url('gemini')}/v1` }),
      entry('claude-proxy', { api: 'anthropic', baseUrl: url('claude-proxy') }),
    ]
    const finder = find(list)
    for (const name of names) {
      const model: Model = finder(`${name}/some:model`)
      expect(model.provider).toBe(`${name}:${list.find(one => one.name === name)?.api}`)
      expect(said(await collect(model, request('hello'))).text).toBe(TEXT)
    }
    for (const name of names) {
      const seen = upstreams.get(name)?.requests ?? []
      expect(seen).toHaveLength(1)
      const text = JSON.stringify(seen)
      for (const other of names)
        expect(text.includes(`key-of-${other}-123456`), `${other} at ${name}`).toBe(
          other === name && name !== 'ollama',
        )
    }
    expect(upstreams.get('azure')?.requests[0]?.headers).toMatchObject({ 'api-key': 'key-of-azure-123456' })
    expect(upstreams.get('azure')?.requests[0]?.headers).not.toHaveProperty('authorization')
    expect(upstreams.get('openrouter')?.requests[0]?.headers).toMatchObject({
      'http-referer': 'https://x.example',
    })
    expect(upstreams.get('claude-proxy')?.requests[0]?.headers).toMatchObject({
      'x-api-key': 'key-of-claude-proxy-123456',
    })
  })

  it('keep secrets of headers out of errors', async () => {
    const list = [
      entry('gemini', {
        baseUrl: `${url('gemini')}/v1`,
        headers: { 'x-team': 'team-secret-abcdef', 'x-fake-fault': '401' },
        secrets: ['team-secret-abcdef'],
      }),
    ]
    const parts = await collect(find(list)('gemini/m'), request('hello'))
    expect(parts).toMatchObject([{ type: 'error', error: { code: 'model_auth' } }])
    expect(JSON.stringify(parts)).not.toMatch(/team-secret|key-of-gemini/)
  })
})

describe('limits of a model', () => {
  const models = { blind: { images: false }, plain: { tools: false } }
  const tool = { name: 't', description: '', input_schema: { type: 'object' } }

  it('are checked before the provider is asked', async () => {
    const parts = await collect(
      find([entry('x', { models, baseUrl: 'http://127.0.0.1:9/v1' })])('x/plain'),
      request('a', { tools: [tool] }),
    )
    expect(parts).toMatchObject([{ type: 'error', error: { code: 'tools_unsupported' } }])
  })

  it('replace images with a text, in messages and in results', async () => {
    const upstream = await startFakeUpstream({ model: scriptedModel() })
    const image = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'AAAA' },
    } as const
    const model = find([entry('x', { models, baseUrl: `${upstream.url}/v1` })])('x/blind')
    await collect(
      model,
      request('', { messages: [{ role: 'user', content: [{ type: 'text', text: 'see' }, image] }] }),
    )
    const sent = JSON.stringify(upstream.requests.map(one => one.body))
    await upstream.close()
    expect(sent).toContain('takes none')
    expect(sent).not.toContain('AAAA')
  })
})

describe('what is known of a model', () => {
  const price = { input: 1, output: 2 }

  it('takes the user’s price first, then the table, then the provider’s own, then the catalog', () => {
    const openai = { name: 'openai', prices: { 'gpt-5.5': price } }
    expect(knowModel(openai, 'gpt-5.5')).toMatchObject({ price, priceSource: 'user' })
    expect(knowModel({ name: 'openai' }, 'gpt-5.5').priceSource).toBe('table')
    const router = { name: 'router', api: 'openai-chat', baseUrl: 'https://openrouter.ai/api/v1' } as const
    expect(knowModel(router, 'no/such', { price })).toMatchObject({ price, priceSource: 'provider' })
    const gemini = { ...router, baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai' }
    expect(knowModel(gemini, 'gemini-2.5-flash')).toMatchObject({ priceSource: 'catalog' })
    expect(knowModel(gemini, 'models/gemini-2.5-flash').price).toEqual(
      knowModel(gemini, 'gemini-2.5-flash').price,
    )
  })

  it('charges a model without a price at the price that the operator assumes', async () => {
    const upstream = await startFakeUpstream({ model: scriptedModel() })
    const list = [entry('x', { baseUrl: `${upstream.url}/v1` })]
    const options = { demo: scriptedModel(), providers: () => list }
    const plain = createModelFinder(options)('x/m')
    const assumed = createModelFinder({ ...options, assumedPrice: { input: 1_000_000, output: 0 } })('x/m')
    const cost = async (model: Model) => (await collect(model, request('hello'))).at(-1)
    expect([plain.isPriced, assumed.isPriced]).toEqual([false, true])
    expect(await cost(plain)).not.toHaveProperty('cost_usd')
    expect(await cost(assumed)).toMatchObject({ type: 'end', cost_usd: expect.any(Number) })
    await upstream.close()
    expect(knowModel({ name: 'openai' }, 'gpt-5.5', {}, price).priceSource).toBe('table')
    expect(knowModel({ name: 'openai' }, 'gpt-99', {}, price).priceSource).toBe('assumed')
  })

  it('never takes the price of a model whose name only begins alike, nor that of another host', () => {
    const anthropic = { name: 'claude', api: 'anthropic', baseUrl: 'https://api.anthropic.com' } as const
    expect(knowModel(anthropic, 'claude-sonnet-5-99').price).toBeUndefined()
    const local = { name: 'local', api: 'openai-chat', baseUrl: 'http://127.0.0.1:1/v1' } as const
    expect(knowModel(local, 'gpt-5.5').price).toBeUndefined()
    const fake = { ...local, baseUrl: 'https://openrouter.ai.evil.example/v1' }
    expect(knowModel(fake, 'openai/gpt-5').price).toBeUndefined()
    for (const id of ['constructor', '__proto__', 'toString'])
      expect(knowModel(anthropic, id).price).toBeUndefined()
  })

  it('reads the capabilities of a deployment from the model that it names', () => {
    const azure = {
      name: 'azure',
      api: 'openai-responses',
      baseUrl: 'https://r.openai.azure.com/openai/v1',
      models: { prod: { upstream: 'gpt-5.5', max_output: 1000 } },
    } as const
    const known = knowModel(azure, 'prod')
    expect(known.capability).toMatchObject({ id: 'gpt-5.5', max_output: 1000 })
    expect(known.context).toBe(knowModel({ name: 'openai' }, 'gpt-5.5').context)
    expect(knowModel(azure, 'other').context).toBeUndefined()
  })

  it('lets what a provider reports fill gaps alone', () => {
    const local = {
      name: 'l',
      api: 'openai-chat',
      baseUrl: 'http://127.0.0.1:1/v1',
      models: { m: { context: 5 } },
    } as const
    expect(knowModel(local, 'm', { context: 9 }).context).toBe(5)
    expect(knowModel(local, 'n', { context: 9 }).context).toBe(9)
  })
})

/** Web searches that clients ask for, where the provider of the model runs them: each API has its own words. */
import type { HostedSearch } from '@toolwire/core'
import { type FakeUpstream, startFakeUpstream } from '@toolwire/demo'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createModelFinder } from '../../src/finder.ts'
import { knowModel } from '../../src/providers/know-model.ts'
import type { ProviderApi, ProviderEntry } from '../../src/providers/provider-entry.ts'
import { createKeyPool } from '../../src/shared/key-pool.ts'
import { collect, request } from '../collect.ts'
import { scriptedModel } from '../scripted-model.ts'

let upstream: FakeUpstream
beforeAll(async () => {
  upstream = await startFakeUpstream({ model: scriptedModel() })
})
afterAll(() => upstream.close())

const user_location = { type: 'approximate', city: 'Bremen' }
const search: HostedSearch = {
  allowed_domains: ['one.example'],
  max_uses: 2,
  context_size: 'low',
  user_location,
}

async function ask(
  api: Exclude<ProviderApi, 'ai-sdk'>,
  hosted_search: HostedSearch,
  by: 'provider' | 'server',
) {
  const entry: ProviderEntry = {
    name: 'p',
    api,
    baseUrl: api === 'anthropic' ? upstream.url : `${upstream.url}/v1`,
    keys: createKeyPool(['key']),
    models: { m: { web_search: by } },
  }
  const find = createModelFinder({
    demo: scriptedModel(),
    providers: () => [entry],
    retry: { maxRetries: 0 },
  })
  const parts = await collect(find('p/m'), request('hello', { options: { hosted_search } }))
  const { tools, web_search_options } = Object(upstream.requests.at(-1)?.body) as Record<string, unknown>
  const start = parts.find(part => part.type === 'start')
  return { sent: { tools, web_search_options }, codes: start?.warnings?.map(one => one.code) ?? [] }
}

it.each([
  [
    'anthropic',
    {
      tools: [
        {
          type: 'web_search_20250305',
          name: 'web_search',
          max_uses: 2,
          allowed_domains: ['one.example'],
          user_location,
        },
      ],
    },
  ],
  [
    'openai-responses',
    {
      tools: [
        {
          type: 'web_search',
          filters: { allowed_domains: ['one.example'] },
          search_context_size: 'low',
          user_location,
        },
      ],
    },
  ],
  [
    'openai-chat',
    {
      web_search_options: {
        search_context_size: 'low',
        user_location: { type: 'approximate', approximate: user_location },
      },
    },
  ],
] as const)('is sent over %s in its words', async (api, expected) => {
  expect((await ask(api, search, 'provider')).sent).toMatchObject(expected)
})

it.each(['anthropic', 'openai-responses', 'openai-chat'] as const)(
  'is sent over %s as the request declared it for this API',
  async api => {
    const tool = { type: 'web_search', name: 'declared' }
    const { sent } = await ask(api, { ...search, declared: { api, tool } }, 'provider')
    expect(api === 'openai-chat' ? sent.web_search_options : sent.tools).toEqual(
      api === 'openai-chat' ? tool : [expect.objectContaining(tool)],
    )
  },
)

it.each(['anthropic', 'openai-responses', 'openai-chat'] as const)(
  'is left out over %s, with a warning, where the provider has none',
  async api => {
    expect(await ask(api, search, 'server')).toEqual({
      sent: { tools: undefined, web_search_options: undefined },
      codes: ['tool_ignored'],
    })
    const served = await ask(api, { ...search, tool: 'WebSearch' }, 'server')
    expect(served.codes).toEqual([])
  },
)

it.each([
  ['anthropic', undefined, 'claude-sonnet-5', true],
  ['anthropic', 'https://proxy.example', 'claude-sonnet-5', true],
  ['anthropic', 'https://proxy.example', 'kimi-k2', false],
  [undefined, undefined, 'gpt-5.5', true],
  [undefined, undefined, 'gpt-4o', false],
  ['openai-chat', 'http://localhost:11434/v1', 'qwen3', false],
] as const)('of %s at %s: the model %s has one (%s)', (api, baseUrl, model, expected) => {
  const entry = { name: 'p', api, baseUrl, keys: createKeyPool([]) }
  expect(knowModel(entry, model).webSearch ?? false).toBe(expected)
})

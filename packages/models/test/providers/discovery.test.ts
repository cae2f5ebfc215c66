/** Lists of models, in the forms of the services and servers that have one. */

import { type FakeUpstream, startFakeUpstream } from '@toolwire/demo'
import { afterEach, expect, it } from 'vitest'
import { type ProviderQuestion, probeProvider } from '../../src/ask-provider.ts'

let upstream: FakeUpstream | undefined
afterEach(() => upstream?.close())

async function discover(models: unknown, more: Partial<ProviderQuestion> = {}) {
  upstream = await startFakeUpstream({ apiKey: false, models })
  const question = { provider: 'x', api: 'openai-chat', baseUrl: `${upstream.url}/v1`, ...more } as const
  return await probeProvider(question, AbortSignal.timeout(60_000))
}

it.for([
  [
    'OpenAI',
    { object: 'list', data: [{ id: 'gpt-6', object: 'model', created: 1, owned_by: 'openai' }] },
    ['gpt-6'],
  ],
  [
    'Ollama',
    { object: 'list', data: [{ id: 'qwen3:8b', object: 'model', owned_by: 'library' }] },
    ['qwen3:8b'],
  ],
  [
    'LM Studio',
    { data: [{ id: 'lmstudio-community/x', object: 'model' }], object: 'list' },
    ['lmstudio-community/x'],
  ],
  ['Google', { object: 'list', data: [{ id: 'models/gemini-3-pro', object: 'model' }] }, ['gemini-3-pro']],
  [
    'a hostile server',
    { data: [{ id: 'a b' }, { id: 7 }, null, { id: 'x'.repeat(201) }, { id: 'ok' }, { id: 'ok' }] },
    ['ok'],
  ],
] as const)('reads the list of %s', async ([, body, models]) => {
  expect(await discover(body)).toEqual({ ok: true, models })
})

it('reads window, output and price per token of OpenRouter', async () => {
  const row = {
    id: 'moonshotai/kimi-k2.5',
    context_length: 262_144,
    top_provider: { max_completion_tokens: 8192 },
    pricing: { prompt: '0.00000055', completion: '0.0000022', request: '0', input_cache_read: '0.00000015' },
  }
  const billed = { id: 'per/request', pricing: { prompt: '0.1', completion: '0.1', request: '0.01' } }
  const auto = { id: 'openrouter/auto', pricing: { prompt: '-1', completion: '-1' } }
  expect(await discover({ data: [row, billed, auto] })).toEqual({
    ok: true,
    models: ['moonshotai/kimi-k2.5', 'per/request', 'openrouter/auto'],
    facts: {
      'moonshotai/kimi-k2.5': {
        context: 262_144,
        max_output: 8192,
        price: { input: 0.55, output: 2.2, cache_read: 0.15 },
      },
    },
  })
})

it('reads the window of vLLM', async () => {
  const answer = await discover({ data: [{ id: 'm', max_model_len: 32_768 }] })
  expect(answer).toMatchObject({ facts: { m: { context: 32_768 } } })
})

it('follows the pages of Anthropic, and stops after ten', async () => {
  upstream = await startFakeUpstream({
    apiKey: false,
    models: { data: [{ type: 'model', id: 'claude-x' }], has_more: true, last_id: 'claude-x' },
  })
  const paged = await probeProvider(
    { provider: 'p', api: 'anthropic', apiKey: 'k', baseUrl: upstream.url },
    AbortSignal.timeout(60_000),
  )
  expect(paged).toEqual({ ok: true, models: ['claude-x'] })
  expect(upstream.requests).toHaveLength(10)
})

it('sends headers, parameters and the key as the provider wants them, and repeats none of them', async () => {
  const answer = await discover(
    { data: 'none' },
    {
      auth: 'api-key',
      apiKey: 'azure-key-123456',
      query: { 'api-version': '1' },
      headers: { 'x-a': 'secret-of-x-a' },
      secrets: ['secret-of-x-a'],
    },
  )
  expect(upstream?.requests[0]).toMatchObject({
    headers: { 'api-key': 'azure-key-123456', 'x-a': 'secret-of-x-a' },
  })
  expect(answer).toMatchObject({ ok: false, error: { code: 'model_error', provider: 'x' } })
  expect(JSON.stringify(answer)).not.toMatch(/azure-key|secret-of/)
})

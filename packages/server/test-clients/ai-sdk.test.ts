/** Earlier major versions of the AI SDK, which check every field of a response: whole and streamed, with parallel calls. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CITY, createWeather, FOUND, PARALLEL } from '../test/clients/weather.ts'
import { type Gateway, startGateway } from '../test/gateway/gateway-server.ts'
import { AI_SDKS } from './ai-sdks.ts'
import { folderOf, type Installable } from './installed.ts'
import { clientCache } from './python-packages.ts'

let gateway: Gateway
beforeEach(async () => {
  gateway = await startGateway()
})
afterEach(() => gateway.close())

// biome-ignore lint/suspicious/noExplicitAny: packages of several versions, with incompatible types
type Package = any

const load = async (sdk: Installable, name: string): Promise<Package> =>
  await import(
    pathToFileURL(join(clientCache(), folderOf(sdk), 'node_modules', name, 'dist/index.mjs')).href
  )

const PROVIDERS: readonly (readonly [string, (sdk: Installable) => Promise<Package>])[] = [
  [
    'anthropic',
    async sdk =>
      (await load(sdk, '@ai-sdk/anthropic')).createAnthropic({ baseURL: `${gateway.url}/v1`, apiKey: 'k' })(
        'demo',
      ),
  ],
  [
    'openai-compatible',
    async sdk =>
      (await load(sdk, '@ai-sdk/openai-compatible')).createOpenAICompatible({
        name: 'toolwire',
        baseURL: `${gateway.url}/v1`,
      })('demo'),
  ],
  [
    'openai chat',
    async sdk =>
      (await load(sdk, '@ai-sdk/openai'))
        .createOpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'k' })
        .chat('demo'),
  ],
]

describe.each(AI_SDKS.map(sdk => [sdk.version, sdk] as const))('AI SDK %s', (_version, sdk) => {
  describe.each(PROVIDERS)('over %s', (_name, connect) => {
    test('generates with parallel calls, and says what they found', async () => {
      const { generateText, stepCountIs, tool } = await load(sdk, 'ai')
      const weather = createWeather()
      const result = await generateText({
        model: await connect(sdk),
        prompt: PARALLEL,
        tools: { weather: tool({ inputSchema: CITY, execute: weather.run }) },
        stopWhen: stepCountIs(5),
        maxRetries: 0,
      })
      expect(result.text).toBe(FOUND)
      expect(weather.asked).toEqual(['Paris', 'Oslo'])
      expect((await gateway.get('/api/sessions')).sessions).toHaveLength(1)
    })

    test('streams thinking, parallel calls and text without an error', async () => {
      const { streamText, stepCountIs, tool } = await load(sdk, 'ai')
      const weather = createWeather()
      const result = streamText({
        model: await connect(sdk),
        prompt: `think, ${PARALLEL}`,
        tools: { weather: tool({ inputSchema: CITY, execute: weather.run }) },
        stopWhen: stepCountIs(5),
        maxRetries: 0,
      })
      const types: string[] = []
      for await (const part of result.fullStream) types.push(part.type)
      expect(types).not.toContain('error')
      expect(await result.text).toBe(FOUND)
      expect((await gateway.get('/api/sessions')).sessions).toHaveLength(1)
    })
  })
})

/** The `ai` package with its openai-compatible and anthropic providers, unmodified, through whole tool round trips. */
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, type LanguageModel, stepCountIs, streamText, tool } from 'ai'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Gateway, startGateway } from '../gateway/gateway-server.ts'
import { CITY, createWeather, FOUND, PARALLEL } from './weather.ts'

let gateway: Gateway
beforeEach(async () => {
  gateway = await startGateway()
})
afterEach(() => gateway.close())

const providers: Readonly<Record<string, (url: string) => LanguageModel>> = {
  'openai-compatible': url =>
    createOpenAICompatible({ name: 'toolwire', baseURL: `${url}/v1`, apiKey: 'sk-test', includeUsage: true })(
      'demo',
    ),
  anthropic: url => createAnthropic({ baseURL: `${url}/v1`, apiKey: 'sk-test' })('demo'),
}

const asks = (run: (input: { city: string }) => string) => ({
  tools: {
    weather: tool({ description: 'The weather of a city', inputSchema: CITY, execute: async i => run(i) }),
  },
  stopWhen: stepCountIs(5),
  maxRetries: 0,
})

test.each(Object.entries(providers))(
  'generateText over %s runs parallel calls and says what they found',
  async (_, connect) => {
    const weather = createWeather()
    const result = await generateText({ model: connect(gateway.url), prompt: PARALLEL, ...asks(weather.run) })
    expect(result.text).toBe(FOUND)
    expect(weather.asked).toEqual(['Paris', 'Oslo'])
    expect(result.steps.map(step => step.finishReason)).toEqual(['tool-calls', 'stop'])
    expect(result.steps[0]?.toolCalls.map(call => call.input)).toEqual([{ city: 'Paris' }, { city: 'Oslo' }])
    expect(result.steps.map(step => step.usage.outputTokens)).toEqual([5, 5])
    expect((await gateway.get('/api/sessions')).sessions).toHaveLength(1)
  },
)

test.each(Object.entries(providers))(
  'streamText over %s streams words, arguments and results',
  async (_, connect) => {
    const weather = createWeather()
    const result = streamText({ model: connect(gateway.url), prompt: PARALLEL, ...asks(weather.run) })
    const types: string[] = []
    const inputs: string[] = []
    for await (const part of result.fullStream) {
      types.push(part.type)
      if (part.type === 'tool-input-delta') inputs.push(part.delta)
    }
    expect(types).not.toContain('error')
    expect(await result.text).toBe(FOUND)
    expect(inputs.join('')).toBe('{"city":"Paris"}{"city":"Oslo"}')
    expect(weather.asked).toEqual(['Paris', 'Oslo'])
    expect((await gateway.get('/api/sessions')).sessions).toHaveLength(1)
  },
)

test.each(Object.entries(providers))(
  'thinking comes through %s as reasoning, and a further turn stays in its session',
  async (_, connect) => {
    const weather = createWeather()
    const model = connect(gateway.url)
    const first = await generateText({ model, prompt: 'think and call weather@Rome', ...asks(weather.run) })
    expect(first.steps[0]?.reasoningText).toBe('let me see')
    const second = await generateText({
      model,
      messages: [
        { role: 'user', content: 'think and call weather@Rome' },
        ...first.responseMessages,
        { role: 'user', content: 'say bye' },
      ],
      ...asks(weather.run),
    })
    expect(second.text).toBe('bye')
    expect((await gateway.get('/api/sessions')).sessions).toHaveLength(1)
    expect(JSON.stringify(gateway.model.requests.at(-1)?.messages)).toContain('sig-1')
  },
)

test.each(Object.entries(providers))('a failure in mid-stream is the error of %s', async (_, connect) => {
  const errors: unknown[] = []
  const result = streamText({
    model: connect(gateway.url),
    prompt: 'fail model_unavailable 502 late',
    maxRetries: 0,
    onError: ({ error }) => {
      errors.push(error)
    },
  })
  for await (const part of result.fullStream) if (part.type === 'text-delta') gateway.model.open()
  expect(errors).toHaveLength(1)
  expect(JSON.stringify(errors[0])).toContain('No.')
})

/** Names that a provider does not take, on their way there and back. */
import { type FakeUpstream, startFakeUpstream } from '@toolwire/demo'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAnthropicModel } from '../../src/anthropic/model.ts'
import { createOpenAiChatModel } from '../../src/openai-chat/model.ts'
import { collect, request, said } from '../collect.ts'

let upstream: FakeUpstream
beforeAll(async () => {
  upstream = await startFakeUpstream()
})
afterAll(() => upstream.close())

const NAME = 'weather.service/get weather'
const MODELS = {
  anthropic: () => createAnthropicModel({ model: 'claude-opus-5', apiKey: 'k', baseUrl: upstream.url }),
  openai: () => createOpenAiChatModel({ model: 'gpt-5', apiKey: 'k', baseUrl: `${upstream.url}/v1` }),
}

test.each(Object.entries(MODELS))(
  '%s is offered a replacement, forced to it, and its calls are reported by their own name',
  async (_, create) => {
    const tool = {
      name: NAME,
      description: 'Get the weather of a city',
      input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    }
    const asked = request('What is the weather in Paris?', {
      tools: [tool],
      tool_choice: { type: 'tool', name: NAME },
    })
    const { calls } = said(await collect(create(), asked))
    expect(calls.map(call => call.name)).toEqual([NAME])
    const sent = JSON.stringify(upstream.requests.at(-1)?.body)
    const [standIn] = /weather_service_get_weather_[0-9a-f]{8}/.exec(sent) ?? []
    expect(sent.split(`"name":"${standIn}"`)).toHaveLength(3)
    expect(sent).not.toContain(NAME)
  },
)

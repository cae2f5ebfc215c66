/** Whatever the log holds, the model of `@openai/agents` reads the same text, calls and arguments from it. */
import { OpenAIChatCompletionsModel } from '@openai/agents'
import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { completionWire } from '../../src/index.ts'
import { answering, answersOf, gatewayLog, type LoggedAnswer, SEEDS } from './answers.ts'

async function read(answer: LoggedAnswer) {
  const client = new OpenAI({
    apiKey: 'k',
    baseURL: 'http://none/v1',
    maxRetries: 0,
    fetch: answering(answer.sse),
  })
  const model = new OpenAIChatCompletionsModel(client, 'demo')
  const events = model.getStreamedResponse({
    input: 'x',
    modelSettings: {},
    tools: [],
    outputType: 'text',
    handoffs: [],
    tracing: false,
  })
  let shown = ''
  for await (const event of events) {
    if (event.type === 'output_text_delta') shown += event.delta
    if (event.type === 'response_done') return { shown, output: event.response.output }
  }
  throw new Error('the response never ended')
}

test('random logs give the same text, calls and arguments to its model, or its error', async () => {
  let read_calls = 0
  let errors = 0
  for (const seed of SEEDS)
    for (const answer of answersOf(gatewayLog(seed), completionWire, { include_usage: true })) {
      if (answer.fails) {
        errors += 1
        await expect(read(answer)).rejects.toThrow()
        continue
      }
      const { shown, output } = await read(answer)
      const said = output.flatMap(item =>
        item.type === 'message' && 'content' in item && Array.isArray(item.content)
          ? item.content.map(part => (part.type === 'output_text' ? part.text : ''))
          : [],
      )
      const calls = output.flatMap(item =>
        item.type === 'function_call'
          ? [{ id: item.callId, name: item.name, input_text: item.arguments }]
          : [],
      )
      expect(shown).toBe(answer.text)
      expect(said.join('')).toBe(answer.text)
      expect(calls).toEqual(answer.calls)
      read_calls += calls.length
    }
  expect(read_calls).toBeGreaterThan(20)
  expect(errors).toBeGreaterThan(5)
})

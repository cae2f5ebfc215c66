/** Whatever the log holds, the real `openai` client reads the same text, calls and thinking from it. */
import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { foldResponse, responsesWire } from '../../src/index.ts'
import { answering, answersOf, gatewayLog, SEEDS } from '../gateway/answers.ts'

const connect = (sse: string) =>
  new OpenAI({ apiKey: 'k', baseURL: 'http://none/v1', maxRetries: 0, fetch: answering(sse) })

test('random logs give the same text, calls and thinking to the openai client, or its error', async () => {
  let calls = 0
  let errors = 0
  for (const seed of SEEDS)
    for (const answer of answersOf(gatewayLog(seed), responsesWire, {})) {
      const { responses } = connect(answer.sse)
      const read = responses.stream({ model: 'm', input: 'x' }).finalResponse()
      if (answer.fails) {
        errors += 1
        await expect(read).rejects.toThrow(OpenAI.APIError)
        continue
      }
      const { output, status, output_text, usage } = await read
      const found = output.flatMap(item =>
        item.type === 'function_call' ? [[item.call_id, item.name, item.arguments]] : [],
      )
      calls += found.length
      const refused = output.flatMap(item => (item.type === 'message' ? item.content : []))
      const texts = refused.map(part => (part.type === 'output_text' ? part.text : part.refusal))
      expect(texts.join('')).toBe(answer.text)
      expect(found).toEqual(answer.calls.map(call => [call.id, call.name, call.input_text || '{}']))
      const thoughts = output.flatMap(item => (item.type === 'reasoning' ? item.summary : []))
      expect(thoughts.map(part => part.text).join('')).toBe(answer.thinking)
      // A whole response is the fold of the very same frames.
      const whole = foldResponse(answer.frames)
      expect(whole.status).toBe(status)
      expect(whole.output.map(item => item.id)).toEqual(output.map(item => item.id))
      expect(whole.usage).toEqual(usage)
      expect(answer.text.startsWith(output_text) || output_text === '').toBe(true)
    }
  expect(calls).toBeGreaterThan(20)
  expect(errors).toBeGreaterThan(5)
})

test('a response of a random log is the same when it is read event by event', async () => {
  for (const seed of SEEDS.slice(0, 20))
    for (const answer of answersOf(gatewayLog(seed), responsesWire, {})) {
      if (answer.fails) continue
      const events = await Array.fromAsync(
        await connect(answer.sse).responses.create({ model: 'm', input: 'x', stream: true }),
      )
      const numbers = events.map(event => event.sequence_number)
      expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
      expect(new Set(numbers).size).toBe(numbers.length)
      const deltas = events.map(event => (event.type === 'response.output_text.delta' ? event.delta : ''))
      expect(answer.text).toContain(deltas.join('').slice(0, 50))
    }
})

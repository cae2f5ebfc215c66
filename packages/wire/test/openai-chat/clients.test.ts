/** Whatever the log holds, the real `openai` client reads the same text, calls and arguments from it. */
import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { completionWire, foldCompletion } from '../../src/index.ts'
import { answering, answersOf, gatewayLog, SEEDS } from '../gateway/answers.ts'

const read = (sse: string) =>
  new OpenAI({
    apiKey: 'k',
    baseURL: 'http://none/v1',
    maxRetries: 0,
    fetch: answering(sse),
  }).chat.completions
    .stream({ model: 'm', messages: [{ role: 'user', content: 'x' }] })
    .finalChatCompletion()

test('random logs give the same text, calls and arguments to the openai client, or its error', async () => {
  let read_calls = 0
  let errors = 0
  for (const seed of SEEDS)
    for (const answer of answersOf(gatewayLog(seed), completionWire, { include_usage: true })) {
      if (answer.fails) {
        errors += 1
        await expect(read(answer.sse)).rejects.toThrow(OpenAI.APIError)
        expect(answer.sse).not.toContain('[DONE]')
        continue
      }
      const completion = await read(answer.sse)
      const [choice] = completion.choices
      const calls = (choice?.message.tool_calls ?? []).map(call => ({
        id: call.id,
        name: call.type === 'function' ? call.function.name : '',
        input_text: call.type === 'function' ? call.function.arguments : '',
      }))
      read_calls += calls.length
      expect(choice?.message.content ?? '').toBe(answer.text)
      expect(calls).toEqual(answer.calls)
      expect(choice?.message.refusal).toBeNull()
      expect(choice?.finish_reason).toBe(answer.asks ? 'tool_calls' : 'stop')
      // The whole answer is the fold of the very same frames.
      const whole = foldCompletion(answer.frames)
      expect(whole.choices[0]?.message.content ?? '').toBe(answer.text)
      expect(whole.choices[0]?.message.tool_calls ?? []).toEqual(choice?.message.tool_calls ?? [])
      expect(whole.usage).toEqual(completion.usage)
    }
  expect(read_calls).toBeGreaterThan(20)
  expect(errors).toBeGreaterThan(5)
})

test('indexes are dense, calls never interleave, and nothing follows the end', () => {
  for (const seed of SEEDS)
    for (const { frames, fails } of answersOf(gatewayLog(seed), completionWire, {})) {
      const last = frames.at(-1)?.data ?? ''
      if (fails) expect(JSON.parse(last)).toHaveProperty('error.message')
      else expect(last).toBe('[DONE]')
      expect(frames.filter(({ data }) => data === '[DONE]')).toHaveLength(fails ? 0 : 1)
      const chunks = frames.slice(0, -1).map(({ data }) => JSON.parse(data))
      let index = -1
      for (const chunk of chunks)
        for (const call of chunk.choices[0].delta.tool_calls ?? []) {
          if (call.id !== undefined) expect(call.index).toBe(++index)
          expect(call.index).toBe(index)
        }
      expect(chunks.filter(chunk => chunk.choices[0].delta.role)).toHaveLength(chunks.length > 0 ? 1 : 0)
      expect(chunks.filter(chunk => chunk.choices[0].finish_reason)).toHaveLength(fails ? 0 : 1)
      expect(new Set(chunks.map(chunk => `${chunk.id} ${chunk.created} ${chunk.model}`)).size).toBeLessThan(2)
    }
})

test('in the old dialect one call at most is shown, as function_call', async () => {
  let shown = 0
  for (const seed of SEEDS)
    for (const answer of answersOf(gatewayLog(seed), completionWire, { legacy: true })) {
      if (answer.fails) continue
      const message = (await read(answer.sse)).choices[0]?.message
      expect(message?.tool_calls ?? []).toEqual([])
      const first = answer.calls[0]
      expect(message?.function_call ?? undefined).toEqual(
        first && { name: first.name, arguments: first.input_text },
      )
      shown += first ? 1 : 0
    }
  expect(shown).toBeGreaterThan(5)
})

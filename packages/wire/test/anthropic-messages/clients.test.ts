/** Whatever the log holds, the real `@anthropic-ai/sdk` client reads the same text, calls and arguments from it. */
import Anthropic from '@anthropic-ai/sdk'
import { expect, test } from 'vitest'
import { foldMessage, messagesWire } from '../../src/index.ts'
import { answering, answersOf, gatewayLog, SEEDS } from '../gateway/answers.ts'

const read = (sse: string) =>
  new Anthropic({ apiKey: 'k', baseURL: 'http://none', maxRetries: 0, fetch: answering(sse) }).messages
    .stream({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'x' }] })
    .finalMessage()

const parse = (text: string): unknown => {
  try {
    return text === '' ? {} : JSON.parse(text)
  } catch {
    return undefined
  }
}

test('random logs give the same text, calls and arguments to the Anthropic client, or its error', async () => {
  let read_calls = 0
  let errors = 0
  for (const seed of SEEDS)
    for (const answer of answersOf(gatewayLog(seed), messagesWire, {})) {
      if (answer.fails) {
        errors += 1
        await expect(read(answer.sse)).rejects.toThrow(Anthropic.AnthropicError)
        continue
      }
      const message = await read(answer.sse)
      const text = message.content.map(block => (block.type === 'text' ? block.text : '')).join('')
      const thinking = message.content
        .map(block => (block.type === 'thinking' ? block.thinking : ''))
        .join('')
      const calls = message.content.flatMap(block => (block.type === 'tool_use' ? [block] : []))
      read_calls += calls.length
      expect(text).toBe(answer.text)
      expect(thinking).toBe(answer.thinking)
      expect(calls.map(({ id, name }) => ({ id, name }))).toEqual(
        answer.calls.map(({ id, name }) => ({ id, name })),
      )
      for (const [i, call] of calls.entries()) {
        const input = parse(answer.calls[i]?.input_text ?? '')
        if (input !== undefined) expect(call.input).toEqual(input)
      }
      const whole = foldMessage(answer.frames)
      expect(whole.content.map(block => block.type)).toEqual(message.content.map(block => block.type))
      expect(message.stop_reason).toBe(answer.asks ? 'tool_use' : 'end_turn')
      expect(whole.stop_reason).toBe(message.stop_reason)
      expect(whole.usage).toMatchObject({ output_tokens: message.usage.output_tokens })
    }
  expect(read_calls).toBeGreaterThan(20)
  expect(errors).toBeGreaterThan(5)
})

test('every answer is one message of blocks that follow each other with dense indexes', () => {
  for (const seed of SEEDS)
    for (const { frames, fails } of answersOf(gatewayLog(seed), messagesWire, {})) {
      const types = frames.map(frame => frame.event ?? '')
      const text = types.map(type => type.replace('content_block_', '').replace('message_', 'm-')).join(' ')
      expect(text).toMatch(
        fails
          ? /^(m-start( start( delta)* stop)* )?error$/
          : /^m-start( start( delta)* stop)* m-delta m-stop$/,
      )
      const starts = frames.flatMap(({ event, data }) =>
        event === 'content_block_start' ? [JSON.parse(data).index] : [],
      )
      expect(starts).toEqual(starts.map((_, i) => i))
      for (const { event, data } of frames) expect(JSON.parse(data).type).toBe(event)
    }
})

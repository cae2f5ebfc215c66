/** What is sent to the Messages API, byte by byte. */
import { expect, test } from 'vitest'
import { createAnthropicModel } from '../../src/anthropic/model.ts'
import { request } from '../collect.ts'

test('arguments of the history reach the provider as they were written, to be answered and to be counted', async () => {
  const input_text = '{"b":1.0,"2":{"10":12345678901234567890,"9":-0},"1":"\\u00e9"}'
  const bodies: string[] = []
  const model = createAnthropicModel({
    model: 'claude-opus-5',
    apiKey: 'k',
    retry: { maxRetries: 0 },
    fetch: async (_, init) => {
      bodies.push(String(init?.body))
      return new Response('{}', { status: 400 })
    },
  })
  const asked = request('', {
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'go' }] },
      {
        role: 'assistant',
        message_id: 'm',
        provider: 'anthropic',
        model: 'x',
        content: [{ type: 'tool_use', call_id: 'c', name: 't', input_text }],
      },
    ],
  })
  const { signal } = new AbortController()
  await Array.fromAsync(model.stream(asked, signal))
  await expect(model.countTokens?.(asked, signal)).rejects.toThrow()
  expect(bodies).toHaveLength(2)
  for (const body of bodies) expect(body).toContain(`"input":${input_text}`)
})

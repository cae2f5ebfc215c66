/** Whatever the log holds, the real `ai` clients of both wires read the same text, thinking, calls and arguments from it. */
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { jsonSchema, type LanguageModel, streamText, tool } from 'ai'
import { expect, test } from 'vitest'
import { completionWire, messagesWire, type Wire } from '../../src/index.ts'
import { answering, answersOf, gatewayLog, type LoggedAnswer, SEEDS } from './answers.ts'

interface Client {
  readonly wire: Wire
  readonly connect: (fetch: typeof globalThis.fetch) => LanguageModel
}

const CLIENTS: Readonly<Record<string, Client>> = {
  'openai-compatible': {
    wire: completionWire,
    connect: fetch =>
      createOpenAICompatible({ name: 'toolwire', baseURL: 'http://none/v1', apiKey: 'k', fetch })('demo'),
  },
  anthropic: {
    wire: messagesWire,
    connect: fetch => createAnthropic({ baseURL: 'http://none/v1', apiKey: 'k', fetch })('claude-sonnet-4-5'),
  },
}

const anything = tool({ inputSchema: jsonSchema({ type: 'object' }) })

async function read(connect: Client['connect'], answer: LoggedAnswer) {
  const found = { text: '', thinking: '', calls: [] as { id: string; name: string; input_text: string }[] }
  const errors: unknown[] = []
  const result = streamText({
    model: connect(answering(answer.sse)),
    prompt: 'x',
    tools: Object.fromEntries(answer.calls.map(call => [call.name, anything])),
    maxRetries: 0,
    onError: ({ error }) => {
      errors.push(error)
    },
  })
  for await (const part of result.fullStream) {
    if (part.type === 'text-delta') found.text += part.text
    if (part.type === 'reasoning-delta') found.thinking += part.text
    if (part.type === 'tool-input-start')
      found.calls.push({ id: part.id, name: part.toolName, input_text: '' })
    if (part.type === 'tool-input-delta') {
      const call = found.calls.find(one => one.id === part.id)
      if (call) call.input_text += part.delta
    }
  }
  if (errors.length > 0) return { errors, found, reason: undefined }
  return { errors, found, reason: await result.finishReason }
}

test.each(Object.entries(CLIENTS))(
  'random logs give the same to the %s client, or its error',
  async (_, { wire, connect }) => {
    let calls = 0
    let failures = 0
    for (const seed of SEEDS)
      for (const answer of answersOf(gatewayLog(seed), wire, {})) {
        const { errors, found, reason } = await read(connect, answer)
        if (answer.fails) {
          failures += 1
          expect(errors).toHaveLength(1)
          continue
        }
        const { text, thinking } = answer
        expect(errors).toEqual([])
        expect(found).toEqual({ text, thinking, calls: answer.calls })
        expect(reason).toBe(answer.asks ? 'tool-calls' : 'stop')
        calls += found.calls.length
      }
    expect(calls).toBeGreaterThan(20)
    expect(failures).toBeGreaterThan(5)
  },
)

/** Data that a provider attaches to messages and calls returns to that provider and model, byte for byte, and to no other. */
import type { AssistantPart, HistoryMessage, Model, ModelPart } from '@toolwire/core'
import { describe, expect, it } from 'vitest'
import { createOpenAiChatModel } from '../../src/openai-chat/model.ts'
import { collect, request } from '../collect.ts'

const GEMINI = 'https://generativelanguage.googleapis.com/v1beta/openai'
const ROUTER = 'https://openrouter.ai/api/v1'

interface Exchange {
  readonly model: Model
  readonly bodies: { readonly messages: readonly Record<string, unknown>[] }[]
}

function exchange(
  chunks: readonly object[],
  options: { baseUrl: string; provider: string; model?: string },
): Exchange {
  const bodies: Exchange['bodies'] = []
  const fetch: typeof globalThis.fetch = async (_, init) => {
    bodies.push(JSON.parse(String(init?.body)))
    const frames = [...chunks, '[DONE]'].map(chunk =>
      typeof chunk === 'string' ? chunk : JSON.stringify(chunk),
    )
    return new Response(frames.map(frame => `data: ${frame}\n\n`).join(''), {
      headers: { 'content-type': 'text/event-stream' },
    })
  }
  return { model: createOpenAiChatModel({ model: 'm', apiKey: 'k', fetch, ...options }), bodies }
}

const chunk = (delta: object, more: object = {}) => ({
  id: 'c',
  model: 'm',
  choices: [{ index: 0, delta }],
  ...more,
})
const done = { id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] }
const call = (index: number, extra_content?: object) => ({
  index,
  id: `call_${index}`,
  type: 'function',
  function: { name: 'read', arguments: '{}' },
  ...(extra_content ? { extra_content } : {}),
})

/** The answer as the log gives it back in the next request. */
function toHistory(parts: readonly ModelPart[], provider: string): readonly HistoryMessage[] {
  const kinds = new Map(
    parts.flatMap(part => (part.type === 'block-start' ? [[part.index, part] as const] : [])),
  )
  const content = parts.flatMap((part): readonly AssistantPart[] => {
    if (part.type !== 'block-end') return []
    const start = kinds.get(part.index)
    const text = parts.map(one => (one.type === 'block-delta' && one.index === part.index ? one : {}))
    const opaque = part.opaque ? { opaque: part.opaque } : {}
    if (start?.kind === 'tool_use')
      return [
        {
          type: 'tool_use',
          call_id: start.tool?.id ?? '',
          name: 'read',
          input_text: '{}',
          ...opaque,
        } as const,
      ]
    const joined = text
      .map(one => ('text' in one ? one.text : 'thinking' in one ? one.thinking : ''))
      .join('')
    return start?.kind === 'thinking'
      ? [{ type: 'thinking', thinking: joined, ...opaque } as const]
      : [{ type: 'text', text: joined, ...opaque } as const]
  })
  const results = content.flatMap(part =>
    part.type === 'tool_use'
      ? [
          {
            type: 'tool_result',
            call_id: part.call_id,
            name: 'read',
            output_text: 'ok',
            content: [],
            is_error: false,
          } as const,
        ]
      : [],
  )
  return [
    { role: 'user', content: [{ type: 'text', text: 'go' }] },
    { role: 'assistant', message_id: 'm', provider, model: 'm', content },
    ...(results.length > 0 ? [{ role: 'tool', results } as const] : []),
    { role: 'user', content: [{ type: 'text', text: 'next' }] },
  ]
}

const assistantOf = ({ bodies }: Exchange) =>
  bodies.at(-1)?.messages.find(message => message['role'] === 'assistant')

async function secondRequest(from: Exchange, to: Exchange, provider: string) {
  const parts = await collect(from.model, request('go'))
  await collect(to.model, { ...request('x'), messages: toHistory(parts, provider) })
  return assistantOf(to)
}

describe('signatures of Gemini', () => {
  const provider = 'gemini:openai-chat'
  const signed = { google: { thought_signature: 'c2lnbmF0dXJl' } }
  const frames = [chunk({ tool_calls: [call(0, signed)] }), chunk({ tool_calls: [call(1)] }), done]

  it('return with the call that they came with', async () => {
    const one = exchange(frames, { baseUrl: GEMINI, provider })
    const calls = (await secondRequest(one, one, provider))?.['tool_calls']
    expect(calls).toMatchObject([{ extra_content: signed }, { id: 'call_1' }])
    expect((calls as readonly object[])[1]).not.toHaveProperty('extra_content')
  })

  it('go to no other provider and to no other model', async () => {
    const elsewhere = exchange(frames, { baseUrl: ROUTER, provider: 'router:openai-chat' })
    const from = exchange(frames, { baseUrl: GEMINI, provider })
    expect(JSON.stringify(await secondRequest(from, elsewhere, provider))).not.toContain('c2lnbmF0dXJl')
    const other = exchange(frames, { baseUrl: GEMINI, provider, model: 'other' })
    expect(JSON.stringify(await secondRequest(from, other, provider))).not.toContain('c2lnbmF0dXJl')
  })

  it('are replaced for calls of another provider, which the service rejects without one', async () => {
    const from = exchange([chunk({ tool_calls: [call(0)] }), done], {
      baseUrl: ROUTER,
      provider: 'router:openai-chat',
    })
    const to = exchange(frames, { baseUrl: GEMINI, provider })
    expect((await secondRequest(from, to, 'router:openai-chat'))?.['tool_calls']).toMatchObject([
      { extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } } },
    ])
  })

  it('on text return with the message', async () => {
    const one = exchange([chunk({ content: 'hello', extra_content: signed }), done], {
      baseUrl: GEMINI,
      provider,
    })
    expect(await secondRequest(one, one, provider)).toMatchObject({ content: 'hello', extra_content: signed })
  })
})

describe('reasoning_details of OpenRouter', () => {
  const provider = 'router:openai-chat'
  const frames = [
    chunk({
      reasoning: 'I',
      reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'I', format: 'x' }],
    }),
    chunk({ reasoning: ' think', reasoning_details: [{ type: 'reasoning.text', index: 0, text: ' think' }] }),
    chunk({ reasoning_details: [{ type: 'reasoning.text', index: 0, signature: 'sig', text: null }] }),
    chunk({ reasoning_details: [{ type: 'reasoning.encrypted', index: 1, id: 'e', data: 'AAAA' }] }),
    chunk({ tool_calls: [call(0)] }),
    { ...done, usage: { prompt_tokens: 5, completion_tokens: 2, cost: 0.0125 } },
  ]

  it('return whole, in order, in place of the plain reasoning', async () => {
    const one = exchange(frames, { baseUrl: ROUTER, provider })
    const message = await secondRequest(one, one, provider)
    expect(message?.['reasoning_details']).toEqual([
      { type: 'reasoning.text', index: 0, text: 'I think', format: 'x', signature: 'sig' },
      { type: 'reasoning.encrypted', index: 1, id: 'e', data: 'AAAA' },
    ])
    expect(message).not.toHaveProperty('reasoning_content')
  })

  it('stay behind when the list is not whole', async () => {
    const many = Array.from({ length: 1001 }, (_, index) =>
      chunk({ reasoning_details: [{ type: 'reasoning.encrypted', index, data: 'A' }] }),
    )
    const one = exchange([...many, ...frames], { baseUrl: ROUTER, provider })
    expect(await secondRequest(one, one, provider)).not.toHaveProperty('reasoning_details')
  })

  it('come with the true cost, which takes precedence over every table', async () => {
    const { model } = exchange(frames, { baseUrl: 'https://api.openai.com/v1', provider, model: 'gpt-4.1' })
    const parts = await collect(model, request('go'))
    expect(parts.at(-1)).toMatchObject({ type: 'end', cost_usd: 0.0125 })
  })
})

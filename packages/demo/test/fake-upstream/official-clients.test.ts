/** The vendors' own clients take the fake upstream for the real thing. */
import Anthropic from '@anthropic-ai/sdk'
import type { ModelRequest } from '@toolwire/core'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FIRST, SECOND, scriptedModel, TEXT } from '../../../models/test/scripted-model.ts'
import { type FakeUpstream, startFakeUpstream } from '../../src/fake-upstream/start.ts'

const seen: ModelRequest[] = []
let upstream: FakeUpstream
beforeAll(async () => {
  upstream = await startFakeUpstream({ model: scriptedModel(seen), apiKey: 'secret' })
})
afterAll(() => upstream.close())

const schema = { type: 'object' as const, properties: { city: { type: 'string' } } }

describe('the Anthropic client', () => {
  const client = (): Anthropic => new Anthropic({ apiKey: 'secret', baseURL: upstream.url, maxRetries: 0 })
  const tools = [FIRST, SECOND].map(({ name }) => ({ name, input_schema: schema }))
  const ask = {
    model: 'claude-opus-5',
    max_tokens: 100,
    tools,
    messages: [{ role: 'user' as const, content: 'weather and time?' }],
  }

  it('reads the stream into thinking, text and two calls with their usage', async () => {
    const message = await client().messages.stream(ask).finalMessage()
    expect(message.content).toMatchObject([
      { type: 'thinking', thinking: 'two questions, two tools', signature: 'c2lnbmVk' },
      { type: 'text', text: TEXT },
      { type: 'tool_use', id: FIRST.id, name: FIRST.name, input: JSON.parse(FIRST.input) },
      { type: 'tool_use', id: SECOND.id, name: SECOND.name, input: JSON.parse(SECOND.input) },
    ])
    expect(message.stop_reason).toBe('tool_use')
    expect(message.usage).toMatchObject({ input_tokens: 12, output_tokens: 34, cache_read_input_tokens: 5 })
  })

  it('gets the same message without streaming', async () => {
    const streamed = await client().messages.stream(ask).finalMessage()
    const whole = await client().messages.create(ask)
    expect(whole.content).toEqual(streamed.content)
    expect(whole.stop_reason).toBe(streamed.stop_reason)
  })

  it('goes the round through its tools and gets the answer', async () => {
    const first = await client().messages.create(ask)
    const results = [FIRST, SECOND].map(({ id }) => ({
      type: 'tool_result' as const,
      tool_use_id: id,
      content: 'ok',
    }))
    const second = await client().messages.create({
      ...ask,
      messages: [
        ...ask.messages,
        { role: 'assistant', content: first.content },
        { role: 'user', content: results },
      ],
    })
    expect(second.content).toMatchObject([{ type: 'text', text: TEXT }])
    expect(seen.at(-1)?.messages.at(-1)).toMatchObject({
      role: 'tool',
      results: [
        { call_id: FIRST.id, name: FIRST.name, output_text: 'ok' },
        { call_id: SECOND.id, name: SECOND.name },
      ],
    })
  })

  it('runs tools by itself through its tool runner', async () => {
    const runner = client().beta.messages.toolRunner({
      model: 'claude-opus-5',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'go' }],
      tools: [FIRST, SECOND].map(({ name }) => ({
        type: 'custom' as const,
        name,
        input_schema: schema,
        description: name,
        run: async () => `${name} done`,
        parse: (input: unknown) => input as Record<string, unknown>,
      })),
    })
    const message = await runner
    expect(message.content).toMatchObject([{ type: 'text', text: TEXT }])
  })

  it('counts tokens and lists models', async () => {
    const counted = await client().messages.countTokens({ model: 'x', messages: ask.messages })
    expect(counted.input_tokens).toBeGreaterThan(0)
    const models = await client().models.list()
    expect(models.data.map(model => model.id)).toEqual(['scripted'])
  })

  it('throws its typed errors for a wrong key, a half history and an overload', async () => {
    const stranger = new Anthropic({ apiKey: 'wrong', baseURL: upstream.url, maxRetries: 0 })
    await expect(stranger.messages.create(ask)).rejects.toBeInstanceOf(Anthropic.AuthenticationError)
    const half = [
      ...ask.messages,
      {
        role: 'assistant' as const,
        content: [{ type: 'tool_use' as const, id: 't1', name: 'x', input: {} }],
      },
      { role: 'user' as const, content: 'never mind' },
    ]
    await expect(client().messages.create({ ...ask, messages: half })).rejects.toThrow(/t1/)
    await expect(client().messages.create(ask, { headers: { 'x-fake-fault': '529' } })).rejects.toMatchObject(
      { status: 529, error: { error: { type: 'overloaded_error' } } },
    )
    await expect(
      client()
        .messages.stream(ask, { headers: { 'x-fake-fault': 'error-event' } })
        .finalMessage(),
    ).rejects.toThrow(/Overloaded/)
  })

  it('accepts both forms of key and version', async () => {
    const forms: readonly Readonly<Record<string, string>>[] = [
      { 'x-api-key': 'secret', 'anthropic-version': '2023-06-01' },
      { authorization: 'Bearer secret', 'anthropic-version': '2026-10-21' },
    ]
    for (const headers of forms) {
      const response = await fetch(`${upstream.url}/v1/messages?beta=true`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(ask),
      })
      expect(response.status).toBe(200)
      await response.body?.cancel()
    }
  })
})

describe('the OpenAI client', () => {
  const client = (): OpenAI => new OpenAI({ apiKey: 'secret', baseURL: `${upstream.url}/v1`, maxRetries: 0 })
  const tools = [FIRST, SECOND].map(({ name }) => ({
    type: 'function' as const,
    function: { name, parameters: schema },
  }))
  const ask = { model: 'gpt-5', tools, messages: [{ role: 'user' as const, content: 'weather and time?' }] }

  it('reads the stream into text and two calls', async () => {
    const completion = await client().chat.completions.stream(ask).finalChatCompletion()
    const message = completion.choices[0]?.message
    expect(message?.content).toBe(TEXT)
    expect(message?.tool_calls).toMatchObject(
      [FIRST, SECOND].map(({ id, name, input }) => ({ id, function: { name, arguments: input } })),
    )
    expect(completion.choices[0]?.finish_reason).toBe('tool_calls')
  })

  it('gets usage at the end only when it asks for it', async () => {
    const asked = await client().chat.completions.create({
      ...ask,
      stream: true,
      stream_options: { include_usage: true },
    })
    const chunks = await Array.fromAsync(asked)
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 24, completion_tokens: 34 } })
    expect(chunks.slice(0, -1).every(chunk => chunk.usage === null)).toBe(true)
    const plain = await Array.fromAsync(await client().chat.completions.create({ ...ask, stream: true }))
    expect(plain.some(chunk => chunk.choices.length === 0 || 'usage' in chunk)).toBe(false)
  })

  it('gets the same completion without streaming', async () => {
    const whole = await client().chat.completions.create(ask)
    expect(whole.choices[0]?.message).toMatchObject({
      content: TEXT,
      tool_calls: [{ id: FIRST.id }, { id: SECOND.id, function: { arguments: SECOND.input } }],
    })
  })

  it('runs tools by itself and gets the answer', async () => {
    const runner = client().chat.completions.runTools({
      model: 'gpt-5',
      messages: [{ role: 'user', content: 'go' }],
      tools: [FIRST, SECOND].map(({ name }) => ({
        type: 'function' as const,
        function: { name, parameters: schema, function: async () => `${name} done`, description: name },
      })),
    })
    expect(await runner.finalContent()).toBe(TEXT)
  })

  it('throws its typed errors', async () => {
    const stranger = new OpenAI({ apiKey: 'wrong', baseURL: `${upstream.url}/v1`, maxRetries: 0 })
    await expect(stranger.chat.completions.create(ask)).rejects.toBeInstanceOf(OpenAI.AuthenticationError)
    await expect(
      client().chat.completions.create(ask, { headers: { 'x-fake-fault': '429' } }),
    ).rejects.toBeInstanceOf(OpenAI.RateLimitError)
    const orphan = [...ask.messages, { role: 'tool' as const, tool_call_id: 'nobody', content: 'x' }]
    await expect(client().chat.completions.create({ ...ask, messages: orphan })).rejects.toMatchObject({
      status: 400,
    })
    const models = await client().models.list()
    expect(models.data.map(model => model.id)).toEqual(['scripted'])
  })
})

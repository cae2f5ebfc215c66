/** A provider of the AI SDK as a model: stream parts in, prompt out. */
import type { ModelPart } from '@toolwire/core'
import { describe, expect, it, vi } from 'vitest'
import { createAiSdkModel } from '../../src/ai-sdk/bridge.ts'
import { collect, request, said, streamOf } from '../collect.ts'

interface Options {
  readonly prompt: readonly unknown[]
  readonly tools?: readonly unknown[]
  readonly toolChoice?: unknown
}

function provider(parts: readonly unknown[], seen: Options[] = []) {
  return {
    provider: 'mistral.chat',
    modelId: 'large',
    specificationVersion: 'v4',
    async doStream(options: Options) {
      seen.push(options)
      return { stream: streamOf(parts) }
    },
  }
}

const usage4 = {
  inputTokens: { total: 10, noCache: 6, cacheRead: 4, cacheWrite: 0 },
  outputTokens: { total: 7, text: 5, reasoning: 2 },
}

describe('the stream', () => {
  it('becomes blocks, with the metadata of the provider on its block', async () => {
    const parts = await collect(
      createAiSdkModel(
        provider([
          { type: 'stream-start', warnings: [] },
          { type: 'response-metadata', id: 'r1', modelId: 'large-2' },
          { type: 'reasoning-start', id: '0' },
          { type: 'reasoning-delta', id: '0', delta: 'hm' },
          { type: 'reasoning-end', id: '0', providerMetadata: { p: { signature: 's' } } },
          { type: 'text-start', id: '1' },
          { type: 'text-delta', id: '1', delta: 'hi' },
          { type: 'text-end', id: '1' },
          { type: 'tool-input-start', id: 'c1', toolName: 'x' },
          { type: 'tool-input-delta', id: 'c1', delta: '{"a"' },
          { type: 'tool-input-delta', id: 'c1', delta: ':1}' },
          { type: 'tool-input-end', id: 'c1' },
          { type: 'tool-call', toolCallId: 'c1', toolName: 'x', input: '{"a":1}' },
          { type: 'tool-call', toolCallId: 'c2', toolName: 'y', input: '{}' },
          { type: 'finish', finishReason: { unified: 'tool-calls', raw: 'tool_use' }, usage: usage4 },
        ]),
      ),
    )
    expect(parts[0]).toEqual({ type: 'start', provider_message_id: 'r1', model: 'large-2' })
    expect(said(parts)).toMatchObject({
      thinking: 'hm',
      text: 'hi',
      calls: [
        { id: 'c1', name: 'x', input: '{"a":1}' },
        { id: 'c2', name: 'y', input: '{}' },
      ],
      last: {
        finish: 'tool_calls',
        stop_reason: 'tool_use',
        usage: { input: 6, output: 7, cache_read: 4, cache_write: 0, reasoning: 2 },
      },
    })
    const opaque = { provider: 'mistral.chat', data: { p: { signature: 's' } } }
    expect(parts).toContainEqual({ type: 'block-end', index: 0, opaque })
  })

  it('of the older specification, with flat usage, works as well', async () => {
    const parts = await collect(
      createAiSdkModel(
        provider([{ type: 'finish', finishReason: 'length', usage: { inputTokens: 3, outputTokens: 4 } }]),
      ),
    )
    expect(parts.at(-1)).toMatchObject({ finish: 'length', usage: { input: 3, output: 4 } })
  })

  it.for([
    ['an error part', [{ type: 'error', error: new Error('boom') }], 'model_error'],
    ['no finish', [{ type: 'text-start', id: '0' }], 'model_unavailable'],
    ['nonsense', [null, 7, 'x'], 'model_unavailable'],
  ] as const)('with %s ends in one error', async ([, parts, code]) => {
    const told = await collect(createAiSdkModel(provider(parts)))
    expect(told.filter((part: ModelPart) => part.type === 'error')).toMatchObject([{ error: { code } }])
  })

  describe('that was interrupted', () => {
    const spoke = [
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: 'half a sentence' },
    ]
    const finish = { type: 'finish', finishReason: 'error', usage: usage4 }
    const boom = { type: 'error', error: new Error('boom') }

    it('reports the usage that the SDK sends after the error, and nothing else from there', async () => {
      const late = { type: 'text-delta', id: '1', delta: 'late' }
      const parts = await collect(createAiSdkModel(provider([...spoke, boom, late, boom, finish])))
      expect(said(parts).text).toBe('half a sentence')
      expect(parts.at(-1)).toEqual({
        type: 'error',
        error: expect.objectContaining({ code: 'model_error', message: 'boom' }),
        usage: { input: 6, output: 7, cache_read: 4, cache_write: 0, reasoning: 2 },
      })
    })

    it.for([
      ['after an error without a finish', [...spoke, boom]],
      ['without a word', spoke],
      ['with a finish that tells nothing', [...spoke, boom, { ...finish, usage: {} }]],
    ] as const)('%s has an estimate of what was said', async ([, told]) => {
      const last = (await collect(createAiSdkModel(provider(told)))).at(-1)
      expect(last).toMatchObject({ type: 'error', usage: { is_estimate: true } })
      const { input = 0, output = 0 } = (last?.type === 'error' && last.usage) || {}
      expect(Math.min(input, output)).toBeGreaterThan(0)
    })

    it('before it said anything has no usage', async () => {
      expect((await collect(createAiSdkModel(provider([boom])))).at(-1)).not.toHaveProperty('usage')
    })

    it('by an exception has an estimate too', async () => {
      const stream = new ReadableStream({
        start(controller) {
          for (const part of spoke) controller.enqueue(part)
        },
        pull(controller) {
          controller.error(new Error('torn'))
        },
      })
      const parts = await collect(createAiSdkModel({ ...provider([]), doStream: async () => ({ stream }) }))
      expect(parts.at(-1)).toMatchObject({ error: { message: 'torn' }, usage: { is_estimate: true } })
    })

    it('and then says nothing is not waited for, and is cancelled', async () => {
      vi.useFakeTimers()
      try {
        let cancelled = 0
        const stream = new ReadableStream({
          start(controller) {
            for (const part of [...spoke, boom]) controller.enqueue(part)
          },
          cancel() {
            cancelled += 1
          },
        })
        const all = collect(createAiSdkModel({ ...provider([]), doStream: async () => ({ stream }) }))
        await vi.advanceTimersByTimeAsync(60_000)
        expect((await all).at(-1)).toMatchObject({ type: 'error', error: { message: 'boom' } })
        expect(cancelled).toBe(1)
      } finally {
        vi.useRealTimers()
      }
    })
  })

  it.for(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'takes %s for an id and a reason like any other',
    async id => {
      const orphan = { type: 'text-delta', id, delta: 'of no block' }
      const parts = await collect(
        createAiSdkModel(
          provider([
            orphan,
            { type: 'text-end', id },
            { type: 'text-start', id },
            { type: 'text-delta', id, delta: 'hi' },
            { type: 'text-end', id },
            { type: 'tool-call', toolCallId: id, toolName: 'x', input: '{"a":1}' },
            { type: 'finish', finishReason: id, usage: usage4 },
          ]),
        ),
      )
      expect(said(parts)).toMatchObject({
        text: 'hi',
        calls: [{ id, name: 'x', input: '{"a":1}' }],
        last: { type: 'end', finish: 'tool_calls', stop_reason: id },
      })
      const indexes = parts.flatMap(part => ('index' in part ? [part.index] : []))
      expect(indexes).toEqual([0, 0, 0, 1, 1, 1])
      const none = [{ type: 'finish', finishReason: id, usage: usage4 }]
      expect((await collect(createAiSdkModel(provider(none)))).at(-1)).toMatchObject({ finish: 'stop' })
    },
  )

  it('that opens an id again, or leaves blocks open, ends every block once', async () => {
    const parts = await collect(
      createAiSdkModel(
        provider([
          { type: 'text-start', id: '1' },
          { type: 'text-delta', id: '1', delta: 'one' },
          { type: 'text-start', id: '1' },
          { type: 'text-delta', id: '1', delta: 'two' },
          { type: 'tool-input-start', id: 'c', toolName: 'x' },
          { type: 'tool-input-start', id: 'c', toolName: 'y' },
          { type: 'tool-input-delta', id: 'c', delta: '{"b":2}' },
          { type: 'finish', finishReason: 'stop', usage: usage4 },
        ]),
      ),
    )
    expect(said(parts)).toMatchObject({
      text: 'onetwo',
      calls: [
        { name: 'x', input: '{}' },
        { name: 'y', input: '{"b":2}' },
      ],
    })
    const of = (type: ModelPart['type']) =>
      parts.flatMap(part => (part.type === type && 'index' in part ? [part.index] : []))
    expect(of('block-start')).toEqual([0, 1, 2, 3])
    expect(of('block-end').toSorted()).toEqual([0, 1, 2, 3])
    const at = (type: ModelPart['type'], index: number) =>
      parts.findIndex(part => part.type === type && 'index' in part && part.index === index)
    expect(at('block-end', 0)).toBeLessThan(at('block-start', 1))
  })

  it('of a request that cannot be put into words is an error, not an exception', async () => {
    const image = { type: 'image', source: { type: 'url', url: 'not an address' } } as const
    const asked = request('x', { messages: [{ role: 'user', content: [image] }] })
    expect(await collect(createAiSdkModel(provider([])), asked)).toMatchObject([{ type: 'error' }])
  })

  it('that cannot begin is an error by its status', async () => {
    const broken = {
      ...provider([]),
      doStream: () => Promise.reject(Object.assign(new Error('no'), { statusCode: 429 })),
    }
    expect(await collect(createAiSdkModel(broken))).toMatchObject([
      { error: { code: 'model_rate_limited', http_status: 429 } },
    ])
  })
})

it.for([
  ['AI_UnsupportedFunctionalityError', 'bad_request'],
  ['AI_InvalidPromptError', 'bad_request'],
  ['AI_LoadAPIKeyError', 'model_auth'],
  ['Error', 'model_unavailable'],
] as const)('the error %s of a package is %s', async ([name, code]) => {
  const error = Object.assign(new Error('no'), { name })
  const broken = { ...provider([]), doStream: () => Promise.reject(error) }
  expect(await collect(createAiSdkModel(broken))).toMatchObject([
    { error: { code, retryable: code === 'model_unavailable' } },
  ])
})

describe('the prompt', () => {
  it('holds system, calls and results in the SDK’s words', async () => {
    const seen: Options[] = []
    await collect(
      createAiSdkModel(provider([], seen)),
      request('go', {
        system: 'be brief',
        tools: [{ name: 'x', description: 'd', input_schema: { type: 'object', properties: {} } }],
        tool_choice: { type: 'any' },
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'go' }] },
          {
            role: 'assistant',
            message_id: 'm',
            provider: 'mistral.chat',
            model: 'large',
            content: [
              { type: 'thinking', thinking: 'hm', signature: '{"p":{"signature":"s"}}' },
              { type: 'tool_use', call_id: 'a', name: 'x', input_text: '{"n":1}' },
            ],
          },
          {
            role: 'tool',
            results: [
              {
                type: 'tool_result',
                call_id: 'a',
                name: 'x',
                output_text: 'no',
                content: [],
                is_error: true,
              },
            ],
          },
        ],
      }),
    )
    expect(seen[0]).toMatchObject({
      toolChoice: { type: 'required' },
      tools: [{ type: 'function', name: 'x', description: 'd', inputSchema: { type: 'object' } }],
      prompt: [
        { role: 'system', content: 'be brief' },
        { role: 'user', content: [{ type: 'text', text: 'go' }] },
        {
          role: 'assistant',
          content: [
            { type: 'reasoning', text: 'hm', providerOptions: { p: { signature: 's' } } },
            { type: 'tool-call', toolCallId: 'a', toolName: 'x', input: { n: 1 } },
          ],
        },
        {
          role: 'tool',
          content: [{ type: 'tool-result', toolCallId: 'a', output: { type: 'error-text', value: 'no' } }],
        },
      ],
    })
  })
})

describe('settings', () => {
  it('have the names of the SDK, which says itself what its provider does not take', async () => {
    const seen: Options[] = []
    const finish = { type: 'finish', finishReason: 'stop', usage: usage4 }
    const schema = { type: 'object', properties: {} }
    const options = {
      temperature: 0.5,
      top_p: 0.9,
      top_k: 4,
      presence_penalty: 1,
      frequency_penalty: 2,
      seed: 7,
      stop: 'END',
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema, strict: true } },
    }
    await collect(createAiSdkModel(provider([finish], seen)), request('x', { options }))
    expect(seen[0]).toMatchObject({
      temperature: 0.5,
      topP: 0.9,
      topK: 4,
      presencePenalty: 1,
      frequencyPenalty: 2,
      seed: 7,
      stopSequences: ['END'],
      responseFormat: { type: 'json', name: 'n', schema },
    })
    await collect(createAiSdkModel(provider([finish], seen)), request('x'))
    for (const name of ['stopSequences', 'responseFormat', 'seed']) expect(seen[1]).not.toHaveProperty(name)
  })
})

describe('what the SDK has no words for', () => {
  const system = { role: 'system', content: [{ type: 'text', text: 'later' }] } as const
  const said = { role: 'user', content: [{ type: 'text', text: 'x' }] } as const
  const tool = { name: 't', input_schema: { type: 'object' }, strict: true }
  const union = { name: 'u', input_schema: { oneOf: [{ type: 'object' }] } }
  const asked = request('x', {
    messages: [said, system],
    tools: [tool, union],
    parallel_tool_calls: false,
    options: {
      logit_bias: { 1: 2 },
      thinking: { type: 'enabled', budget_tokens: 2000 },
      output_config: { format: {} },
      reasoning_effort: 'high',
    },
  })
  const parts = [
    { type: 'stream-start', warnings: [{ type: 'unsupported', feature: 'seed' }] },
    { type: 'text-start', id: '1' },
    { type: 'finish', finishReason: 'stop', usage: usage4 },
  ]

  it('is reported, before the provider’s own warnings', async () => {
    const seen: Options[] = []
    const [start] = await collect(createAiSdkModel(provider(parts, seen)), asked)
    const told = start?.type === 'start' ? (start.warnings ?? []) : []
    expect(told.map(({ code, message }) => `${code} ${message.split(':', 1)[0]}`)).toEqual([
      'system_in_text messages',
      'setting_ignored logit_bias',
      'setting_ignored thinking',
      'setting_ignored output_config.format',
      'setting_ignored parallel_tool_calls',
      'schema_flattened tools',
      'unsupported seed',
    ])
    expect(seen[0]).toMatchObject({ reasoning: 'high', tools: [{ name: 't', strict: true }, { name: 'u' }] })
    expect(seen[0]?.tools?.[1]).not.toHaveProperty('strict')
  })

  it('is rejected before any request when the request allows no changes', async () => {
    const seen: Options[] = []
    const options = { refuse_changes: true, reasoning_effort: 'low' }
    const old = { ...provider(parts, seen), specificationVersion: 'v3' }
    expect(await collect(createAiSdkModel(old), request('x', { options }))).toMatchObject([
      { type: 'error', error: { code: 'bad_request', message: expect.stringContaining('effort') } },
    ])
    expect(seen).toEqual([])
    await collect(createAiSdkModel(provider(parts, seen)), request('x', { options }))
    expect(seen).toHaveLength(1)
  })
})

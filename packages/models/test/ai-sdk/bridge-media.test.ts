/** Images, documents and metadata of providers survive the way to a provider of the AI SDK and back. */
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { AssistantPart, ContentPart, HistoryMessage } from '@toolwire/core'
import { describe, expect, it } from 'vitest'
import { type AiSdkLanguageModel, createAiSdkModel } from '../../src/ai-sdk/bridge.ts'
import { collect, request, said, streamOf } from '../collect.ts'

const image: ContentPart = {
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
}
const linked: ContentPart = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }
const pdf: ContentPart = {
  type: 'document',
  source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
  title: 'a.pdf',
}
const call = { type: 'tool_use', call_id: 'c1', name: 'shot', input_text: '{}' } as const
const shot = (content: readonly ContentPart[]): readonly HistoryMessage[] => [
  { role: 'user', content: [{ type: 'text', text: 'go' }] },
  { role: 'assistant', message_id: 'm', provider: 'p', model: 'm', content: [call] },
  {
    role: 'tool',
    results: [
      { type: 'tool_result', call_id: 'c1', name: 'shot', output_text: 'done', content, is_error: false },
    ],
  },
]

/** What a package of a provider sends for these messages. */
async function bodyOf(
  create: (fetch: typeof globalThis.fetch) => unknown,
  messages: readonly HistoryMessage[],
): Promise<string> {
  let body = ''
  const fetch: typeof globalThis.fetch = async (_, init) => {
    body = String(init?.body)
    return new Response('{}', { status: 400 })
  }
  await collect(createAiSdkModel(create(fetch) as AiSdkLanguageModel), request('', { messages }))
  return body
}

describe.for([
  ['anthropic', (fetch: typeof globalThis.fetch) => createAnthropic({ apiKey: 'k', fetch })('claude-opus-5')],
  [
    'openai-compatible',
    (fetch: typeof globalThis.fetch) =>
      createOpenAICompatible({ name: 'x', baseURL: 'http://none/v1', fetch })('m'),
  ],
] as const)('the package of %s', ([name, create]) => {
  it('gets the images of a user, by data and by address', async () => {
    const body = await bodyOf(create, [{ role: 'user', content: [image, linked] }])
    expect(body).toContain('iVBORw0KGgo=')
    expect(body).toContain('https://example.com/a.png')
  })

  it('gets documents', async () => {
    expect(await bodyOf(create, [{ role: 'user', content: [pdf] }])).toContain('JVBERi0=')
  })

  it('gets the images of a tool result', async () => {
    const body = await bodyOf(create, shot([image]))
    expect(body).toContain('done')
    if (name === 'anthropic') expect(body).toContain('iVBORw0KGgo=')
  })
})

it.for([
  ['https://example.com/a.PNG?x=1', 'image/png'],
  ['https://example.com/a.jpg', 'image/jpeg'],
  ['https://example.com/image', 'image/*'],
] as const)('the type of %s is %s', async ([url, mediaType]) => {
  const prompts: unknown[] = []
  const model = createAiSdkModel({
    provider: 'p',
    modelId: 'm',
    specificationVersion: 'v4',
    async doStream(options: never) {
      prompts.push((options as { prompt: unknown }).prompt)
      return { stream: streamOf([{ type: 'finish', finishReason: 'stop' }]) }
    },
  })
  const content = [{ type: 'image', source: { type: 'url', url } } as const]
  await collect(model, request('', { messages: [{ role: 'user', content }] }))
  expect(prompts).toMatchObject([[{ content: [{ type: 'file', mediaType }] }]])
})

describe('a model of specification 3', () => {
  it('gets files without a tag, and those of results in their own types', async () => {
    const seen: { readonly prompt: readonly { readonly content: readonly unknown[] }[] }[] = []
    const model = createAiSdkModel({
      provider: 'p',
      modelId: 'm',
      specificationVersion: 'v3',
      async doStream(options: never) {
        seen.push(options)
        return { stream: streamOf([{ type: 'finish', finishReason: 'stop' }]) }
      },
    })
    const messages: readonly HistoryMessage[] = [...shot([image, linked]), { role: 'user', content: [image] }]
    await collect(model, request('', { messages }))
    const [, , tool, user] = seen[0]?.prompt ?? []
    expect(user?.content).toEqual([{ type: 'file', mediaType: 'image/png', data: 'iVBORw0KGgo=' }])
    expect(tool?.content[0]).toMatchObject({
      output: {
        type: 'content',
        value: [
          { type: 'text', text: 'done' },
          { type: 'image-data', data: 'iVBORw0KGgo=', mediaType: 'image/png' },
          { type: 'image-url', url: 'https://example.com/a.png' },
        ],
      },
    })
  })
})

/** The parts of one answer, and the prompt of a request whose history holds that answer. */
async function roundTrip(sent: readonly object[], specificationVersion: 'v3' | 'v4' = 'v4') {
  const prompts: { readonly role: string; readonly content: readonly object[] }[][] = []
  const model = createAiSdkModel({
    provider: 'p',
    modelId: 'm',
    specificationVersion,
    async doStream(options: never) {
      prompts.push((options as { prompt: (typeof prompts)[number] }).prompt)
      return { stream: streamOf([...sent, { type: 'finish', finishReason: 'stop' }]) }
    },
  })
  const parts = await collect(model)
  const content = parts.flatMap((part): readonly AssistantPart[] => {
    if (part.type !== 'block-start') return []
    const text = said(parts.filter(one => 'index' in one && one.index === part.index))
    const end = parts.find(one => one.type === 'block-end' && one.index === part.index)
    const opaque = end?.type === 'block-end' && end.opaque ? { opaque: end.opaque } : {}
    if (part.kind === 'file') return [{ type: 'provider', kind: 'file', data: part.data, ...opaque }]
    if (part.kind === 'thinking') return [{ type: 'thinking', thinking: text.thinking, ...opaque }]
    return [{ type: 'text', text: text.text, ...opaque }]
  })
  const asked = request('go').messages
  const answer = { role: 'assistant', message_id: 'm', provider: 'p', model: 'm', content } as const
  await collect(model, request('', { messages: [...asked, answer, ...asked] }))
  return { parts, sent: prompts[1]?.find(({ role }) => role === 'assistant')?.content }
}

describe('metadata of the provider', () => {
  it('is the latest of the start, the deltas and the end of a part', async () => {
    const { sent } = await roundTrip([
      { type: 'reasoning-start', id: '0' },
      { type: 'reasoning-delta', id: '0', delta: 'hm' },
      // The signature of Claude comes with an empty delta.
      { type: 'reasoning-delta', id: '0', delta: '', providerMetadata: { anthropic: { signature: 's1' } } },
      { type: 'reasoning-end', id: '0' },
      { type: 'reasoning-start', id: '1', providerMetadata: { anthropic: { redactedData: 'r' } } },
      { type: 'reasoning-end', id: '1' },
      { type: 'text-start', id: '2', providerMetadata: { google: { thoughtSignature: 'old' } } },
      { type: 'text-delta', id: '2', delta: 'hi', providerMetadata: { google: { thoughtSignature: 's2' } } },
      { type: 'text-end', id: '2' },
    ])
    expect(sent).toEqual([
      { type: 'reasoning', text: 'hm', providerOptions: { anthropic: { signature: 's1' } } },
      { type: 'reasoning', text: '', providerOptions: { anthropic: { redactedData: 'r' } } },
      { type: 'text', text: 'hi', providerOptions: { google: { thoughtSignature: 's2' } } },
    ])
  })

  it.for([
    ['v4', { type: 'data', data: 'AAEC' }, { type: 'data', data: 'AAEC' }],
    ['v4', { type: 'data', data: new Uint8Array([0, 1, 2]) }, { type: 'data', data: 'AAEC' }],
    [
      'v4',
      { type: 'url', url: new URL('https://example.com/a.png') },
      { type: 'url', url: new URL('https://example.com/a.png') },
    ],
    ['v3', new Uint8Array([0, 1, 2]), 'AAEC'],
  ] as const)('comes back with the file of a model (%s, %j)', async ([version, data, returned]) => {
    const providerMetadata = { google: { thoughtSignature: 's' } }
    const { parts, sent } = await roundTrip(
      [{ type: 'file', mediaType: 'image/png', data, providerMetadata }],
      version,
    )
    expect(JSON.parse(JSON.stringify(parts))).toEqual(parts)
    expect(sent).toEqual([
      { type: 'file', mediaType: 'image/png', data: returned, providerOptions: providerMetadata },
    ])
  })

  it('of a file in an unknown form is ignored, and sources are citations of the open text', async () => {
    const { parts, sent } = await roundTrip([
      { type: 'file', mediaType: 'image/png', data: { type: 'other' } },
      { type: 'source', sourceType: 'url', id: 's0', url: 'https://example.com/lost' },
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', delta: 'hi' },
      { type: 'source', sourceType: 'url', id: 's1', url: 'https://example.com/a', title: 'A' },
      { type: 'text-end', id: '0' },
    ])
    expect(parts).toContainEqual({
      type: 'block-delta',
      index: 0,
      citation: { type: 'url_citation', url: 'https://example.com/a', title: 'A' },
    })
    expect(sent).toEqual([{ type: 'text', text: 'hi' }])
  })

  it('of a call comes back with the same call, to the same provider alone', async () => {
    const prompts: unknown[] = []
    const metadata = { google: { thoughtSignature: 'sig' } }
    const create = (provider: string) =>
      createAiSdkModel({
        provider,
        modelId: 'm',
        specificationVersion: 'v4',
        async doStream(options: never) {
          prompts.push((options as { prompt: unknown }).prompt)
          return {
            stream: streamOf([
              { type: 'tool-input-start', id: 'c1', toolName: 'shot' },
              { type: 'tool-input-delta', id: 'c1', delta: '{}' },
              { type: 'tool-input-end', id: 'c1' },
              {
                type: 'tool-call',
                toolCallId: 'c1',
                toolName: 'shot',
                input: '{}',
                providerMetadata: metadata,
              },
              { type: 'finish', finishReason: 'tool-calls' },
            ]),
          }
        },
      })
    const parts = await collect(create('google'))
    const end = parts.find(part => part.type === 'block-end')
    expect(end).toMatchObject({ opaque: { provider: 'google', data: metadata } })
    const opaque = end?.type === 'block-end' ? end.opaque : undefined
    const messages = shot([]).map(message =>
      message.role === 'assistant' && opaque ? { ...message, content: [{ ...call, opaque }] } : message,
    )
    for (const name of ['google', 'mistral']) await collect(create(name), request('', { messages }))
    const sent = prompts.slice(1).map(prompt => JSON.stringify(prompt).includes('thoughtSignature'))
    expect(sent).toEqual([true, false])
  })
})

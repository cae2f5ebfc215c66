/** Images, documents and metadata of providers survive the way to a provider of the AI SDK and back. */
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { ContentPart, HistoryMessage } from '@toolwire/core'
import { describe, expect, it } from 'vitest'
import { type AiSdkLanguageModel, createAiSdkModel } from '../../src/ai-sdk/bridge.ts'
import { collect, request, streamOf } from '../collect.ts'

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

describe('metadata of the provider', () => {
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

/** Five provider packages of the AI SDK behind the bridge: media and metadata survive the way to the provider and back. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ContentPart, HistoryMessage, ModelPart, ModelRequest } from '@toolwire/core'
import { createAiSdkModel } from '@toolwire/models'
import { describe, expect, test } from 'vitest'
import { bridgePackages } from './bridge-packages.ts'
import { folderOf } from './installed.ts'
import { clientCache } from './python-packages.ts'

// biome-ignore lint/suspicious/noExplicitAny: packages outside of the tree have no types here
type Package = any

const root = join(clientCache(), folderOf(bridgePackages), 'package.json')
const load = async (name: string): Promise<Package> =>
  await import(pathToFileURL(createRequire(root).resolve(name)).href)

type Connect = (fetch: typeof globalThis.fetch) => Promise<Package>

const PACKAGES: Readonly<Record<string, Connect>> = {
  openai: async fetch => (await load('@ai-sdk/openai')).createOpenAI({ apiKey: 'k', fetch }).responses('gpt-5.5'),
  'openai-compatible': async fetch =>
    (await load('@ai-sdk/openai-compatible')).createOpenAICompatible({
      name: 'x',
      baseURL: 'http://none/v1',
      fetch,
    })('m'),
  anthropic: async fetch => (await load('@ai-sdk/anthropic')).createAnthropic({ apiKey: 'k', fetch })('claude-opus-5'),
  google: async fetch =>
    (await load('@ai-sdk/google')).createGoogleGenerativeAI({ apiKey: 'k', fetch })('gemini-2.5-pro'),
  mistral: async fetch => (await load('@ai-sdk/mistral')).createMistral({ apiKey: 'k', fetch })('pixtral-large-latest'),
}

const PNG = 'iVBORw0KGgo='
const PDF = 'JVBERi0='
const image: ContentPart = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }
const pdf: ContentPart = {
  type: 'document',
  source: { type: 'base64', media_type: 'application/pdf', data: PDF },
  title: 'a.pdf',
}
const user = (...content: readonly ContentPart[]): HistoryMessage => ({ role: 'user', content })
const text = { type: 'text', text: 'see' } as const

const toRequest = (messages: readonly HistoryMessage[]): ModelRequest => ({
  model: 'm',
  messages,
  tools: [{ name: 'shot', description: '', input_schema: { type: 'object', properties: {} } }],
})

/** Every body that the package sends for these messages; it also downloads what its provider cannot. */
async function bodiesOf(connect: Connect, messages: readonly HistoryMessage[]): Promise<string> {
  const bodies: string[] = []
  const model = await connect(async (_, init) => {
    bodies.push(String(init?.body))
    return new Response('{}', { status: 400 })
  })
  await Array.fromAsync(createAiSdkModel(model).stream(toRequest(messages), new AbortController().signal))
  return bodies.join('\n')
}

const afterCall = (content: readonly ContentPart[]): readonly HistoryMessage[] => [
  user(text),
  {
    role: 'assistant',
    message_id: 'm',
    provider: 'p',
    model: 'm',
    content: [{ type: 'tool_use', call_id: 'c1', name: 'shot', input_text: '{}' }],
  },
  {
    role: 'tool',
    results: [
      { type: 'tool_result', call_id: 'c1', name: 'shot', output_text: 'done', content, is_error: false },
    ],
  },
]

describe.each(Object.entries(PACKAGES))('%s', (_name, connect) => {
  test("gets the image of a user", async () => {
    expect(await bodiesOf(connect, [user(text, image)])).toContain(PNG)
  })

  test('gets the image of a tool result', async () => {
    expect(await bodiesOf(connect, afterCall([image]))).toContain(PNG)
  })
})

// The provider of mistral reads documents by their address alone.
test.each(['openai', 'openai-compatible', 'anthropic', 'google'])('%s gets the document of a user', async name => {
  const connect = PACKAGES[name]
  if (!connect) throw new Error(name)
  expect(await bodiesOf(connect, [user(text, pdf)])).toContain(PDF)
})

test('the signature of a call of Gemini returns with the call', async () => {
  const bodies: string[] = []
  const parts = [
    { functionCall: { name: 'shot', args: {} }, thoughtSignature: 'signature-1' },
  ]
  const frame = { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }] }
  const language = await PACKAGES['google']?.(async (_, init) => {
    bodies.push(String(init?.body))
    return new Response(`data: ${JSON.stringify(frame)}\r\n\r\n`, {
      headers: { 'content-type': 'text/event-stream' },
    })
  })
  const model = createAiSdkModel(language)
  const ask = (messages: readonly HistoryMessage[]): Promise<ModelPart[]> =>
    Array.fromAsync(model.stream(toRequest(messages), new AbortController().signal))
  const first = await ask([user(text)])
  const start = first.find(part => part.type === 'block-start' && part.kind === 'tool_use')
  const end = first.find(part => part.type === 'block-end' && part.opaque !== undefined)
  if (start?.type !== 'block-start' || end?.type !== 'block-end' || !end.opaque) throw new Error('no call')
  const [asked, , result] = afterCall([])
  const content = [
    { type: 'tool_use', call_id: 'c1', name: 'shot', input_text: '{}', opaque: end.opaque } as const,
  ]
  const said = { role: 'assistant', message_id: 'm', provider: model.provider, model: model.id, content } as const
  await ask([asked, said, result].filter(one => one !== undefined))
  expect(bodies[1]).toContain('signature-1')
})

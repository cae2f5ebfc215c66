/** Five provider packages of the AI SDK behind the bridge: media and metadata survive the way to the provider and back. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AssistantPart, ContentPart, HistoryMessage, ModelPart, ModelRequest } from '@toolwire/core'
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

function connectorOf(name: string): Connect {
  const connect = PACKAGES[name]
  if (!connect) throw new Error(name)
  return connect
}

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

  test('gets the image of a user by its address', async () => {
    const url = 'https://example.com/a.png'
    const linked: ContentPart = { type: 'image', source: { type: 'url', url } }
    expect(await bodiesOf(connect, [user(text, linked)])).toContain(url)
  })

  test('gets the image of a tool result', async () => {
    expect(await bodiesOf(connect, afterCall([image]))).toContain(PNG)
  })
})

// The other three take no sound, and say so.
test.each(['openai-compatible', 'google'])('%s gets the sound of a user', async name => {
  const sound: ContentPart = { type: 'audio', source: { type: 'base64', media_type: 'audio/wav', data: 'UklGRg==' } }
  expect(await bodiesOf(connectorOf(name), [user(text, sound)])).toContain('UklGRg==')
})

// The provider of mistral reads documents by their address alone.
test.each(['openai', 'openai-compatible', 'anthropic', 'google'])('%s gets the document of a user', async name => {
  expect(await bodiesOf(connectorOf(name), [user(text, pdf)])).toContain(PDF)
})

/** Both bodies of a conversation: the first answer, which `frames` hold, is in the history of the second request. */
async function askTwice(name: string, frames: readonly object[]): Promise<readonly string[]> {
  const bodies: string[] = []
  const language = await connectorOf(name)(async (_, init) => {
    bodies.push(String(init?.body))
    const stream = frames.map(frame => `data: ${JSON.stringify(frame)}\r\n\r\n`).join('')
    return new Response(stream, { headers: { 'content-type': 'text/event-stream' } })
  })
  const model = createAiSdkModel(language)
  const ask = (messages: readonly HistoryMessage[]): Promise<ModelPart[]> =>
    Array.fromAsync(model.stream(toRequest(messages), new AbortController().signal))
  const parts = await ask([user(text)])
  const content = parts.flatMap((start): readonly AssistantPart[] => {
    if (start.type !== 'block-start') return []
    const own = parts.filter(part => 'index' in part && part.index === start.index)
    const end = own.find(part => part.type === 'block-end')
    const opaque = end?.type === 'block-end' && end.opaque ? { opaque: end.opaque } : {}
    const said = own.map(part => (part.type === 'block-delta' ? (part.text ?? part.thinking ?? '') : '')).join('')
    if (start.kind === 'file') return [{ type: 'provider', kind: 'file', data: start.data, ...opaque }]
    if (start.kind === 'thinking') return [{ type: 'thinking', thinking: said, ...opaque }]
    if (start.kind === 'text') return [{ type: 'text', text: said, ...opaque }]
    return [{ type: 'tool_use', call_id: 'c1', name: 'shot', input_text: '{}', ...opaque }]
  })
  const answer = { role: 'assistant', message_id: 'm', provider: model.provider, model: model.id, content } as const
  const [, , result] = afterCall([])
  const hasCall = content.some(part => part.type === 'tool_use')
  await ask([user(text), answer, ...(hasCall && result ? [result] : [user(text)])])
  return bodies
}

const ofGemini = (...parts: readonly object[]): readonly object[] => [
  { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }] },
]

test.each([
  ['call', { functionCall: { name: 'shot', args: {} } }],
  ['text', { text: 'hello' }],
  ['thought', { text: 'hm', thought: true }],
  ['image', { inlineData: { mimeType: 'image/png', data: PNG } }],
])('the signature of a %s of Gemini returns with it', async (_kind, part) => {
  const said = { text: 'and so' }
  const bodies = await askTwice('google', ofGemini({ ...part, thoughtSignature: 'signature-1' }, said))
  expect(bodies[1]).toContain('signature-1')
})

test('the signature of thinking of Claude returns with it, and hidden thinking returns whole', async () => {
  const start = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block })
  const delta = (index: number, one: object) => ({ type: 'content_block_delta', index, delta: one })
  const stop = (index: number) => ({ type: 'content_block_stop', index })
  const usage = { input_tokens: 1, output_tokens: 1 }
  const bodies = await askTwice('anthropic', [
    { type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', model: 'x', content: [], usage } },
    start(0, { type: 'thinking', thinking: '' }),
    delta(0, { type: 'thinking_delta', thinking: 'hm' }),
    delta(0, { type: 'signature_delta', signature: 'signature-1' }),
    stop(0),
    start(1, { type: 'redacted_thinking', data: 'hidden-1' }),
    stop(1),
    start(2, { type: 'text', text: '' }),
    delta(2, { type: 'text_delta', text: 'hello' }),
    stop(2),
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
    { type: 'message_stop' },
  ])
  expect(bodies[1]).toContain('"signature":"signature-1"')
  expect(bodies[1]).toContain('hidden-1')
})

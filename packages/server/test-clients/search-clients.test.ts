/** Hosted web searches of real clients, which the server runs: codex, the AI SDK. */
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server as HttpServer } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createBuiltinTools } from '@toolwire/tools'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Gateway, startGateway } from '../test/gateway/gateway-server.ts'
import { configureCodex, execCodex } from './codex.ts'
import { createCodexModel } from './codex-model.ts'
import { folderOf } from './installed.ts'
import { clientCache } from './python-packages.ts'
import { responsesClients } from './responses-clients.ts'

// biome-ignore lint/suspicious/noExplicitAny: packages outside of the tree have no types here
type Package = any

const root = join(clientCache(), folderOf(responsesClients), 'package.json')
const load = async (name: string): Promise<Package> =>
  await import(pathToFileURL(createRequire(root).resolve(name)).href)

let engine: HttpServer
let queries: string[]
let gateway: Gateway
beforeEach(async () => {
  queries = []
  engine = createServer((request, response) => {
    queries.push(new URL(request.url ?? '', 'http://engine').searchParams.get('q') ?? '')
    const results = [{ title: 'One', url: 'https://one.example/a', content: 'heliotrope' }]
    response.end(JSON.stringify({ results }))
  })
  await new Promise<void>(resolve => engine.listen(0, '127.0.0.1', resolve))
  const address = engine.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const all = createBuiltinTools({ web_search: { searxng: { url: `http://127.0.0.1:${port}` } } })
  gateway = await startGateway({ tools: all.filter(tool => tool.name === 'WebSearch'), models: () => createCodexModel() })
})
afterEach(async () => {
  await gateway.close()
  await new Promise(resolve => engine.close(resolve))
})

const PROMPT = 'CALL web_search {"query":"tides"}'

test.each(['demo', 'gpt-5.5'])('codex searches the web with a model named %s', async name => {
  const home = await mkdtemp(join(tmpdir(), 'toolwire-codex-'))
  try {
    await configureCodex({ url: gateway.url, home, model: name, more: ['web_search = "live"'] })
    const { output, errors } = await execCodex(home, PROMPT).ended
    expect(output, errors).toContain('heliotrope')
    expect(queries).toEqual(['tides'])
  } finally {
    await rm(home, { recursive: true, force: true })
  }
})

test('codex without live results gets its answer', async () => {
  const home = await mkdtemp(join(tmpdir(), 'toolwire-codex-'))
  try {
    await configureCodex({ url: gateway.url, home, model: 'gpt-5.5', more: ['web_search = "cached"'] })
    const { output, errors } = await execCodex(home, 'hello').ended
    expect(output.trim(), errors).toBe('HELLO')
  } finally {
    await rm(home, { recursive: true, force: true })
  }
})

test.each([{}, { store: false }])('the AI SDK lists the sources of a search (%j)', async openai => {
  const { generateText, streamText } = await load('ai')
  const { createOpenAI } = await load('@ai-sdk/openai')
  const provider = createOpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'k' })
  const request = {
    model: provider.responses('demo'),
    prompt: PROMPT,
    tools: { web_search: provider.tools.webSearch({ filters: { allowedDomains: ['one.example'] } }) },
    providerOptions: { openai },
    maxRetries: 0,
  }
  const whole = await generateText(request)
  expect(whole.text).toContain('heliotrope')
  expect(whole.toolResults[0]).toMatchObject({
    toolName: 'web_search',
    output: { action: { query: 'tides' }, sources: [{ type: 'url', url: 'https://one.example/a' }] },
  })
  const types: string[] = []
  for await (const part of streamText(request).fullStream) types.push(part.type)
  expect(types).toContain('tool-result')
  expect(types).not.toContain('error')
})

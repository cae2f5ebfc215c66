/** Named providers, the whole way: from the configuration file, from Settings and per request, against fakes. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createDemoModel, type FakeUpstream, startFakeUpstream } from '@toolwire/demo'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../src/config.ts'
import { inFolder, type Launched, launch, run } from './launch.ts'

const LOCAL_KEY = 'key-of-the-router-abcd'
const OTHER_KEY = 'key-of-the-proxy-efgh'
const VENDOR_KEY = 'sk-key-of-the-vendor-ijkl'
let router: FakeUpstream
let proxy: FakeUpstream
let local: FakeUpstream
const pricing = { prompt: '0.000002', completion: '0.00001', input_cache_read: '0.0000002' }
const LIST = {
  data: [{ id: 'moonshotai/kimi-k2.5:free', context_length: 131_072, pricing }, { id: 'models/x' }],
}

beforeAll(async () => {
  const model = createDemoModel({ paceMs: 0 })
  router = await startFakeUpstream({ apiKey: LOCAL_KEY, model, models: LIST })
  proxy = await startFakeUpstream({ apiKey: OTHER_KEY, model })
  local = await startFakeUpstream({ apiKey: false, model, models: { data: [{ id: 'qwen3:8b' }] } })
})
afterAll(async () => {
  await Promise.all([router, proxy, local].map(fake => fake.close()))
})

const providers = () => ({
  router: { api: 'openai-chat', baseUrl: `${router.url}/v1`, key: 'ROUTER_KEY' },
  proxy: {
    api: 'anthropic',
    baseUrl: proxy.url,
    key: ['PROXY_KEY'],
    models: ['claude-x'],
    prices: { 'claude-x': { input: 3, output: 4 } },
  },
  ollama: { api: 'openai-responses', baseUrl: `${local.url}/v1` },
})
const ENV = { ROUTER_KEY: LOCAL_KEY, PROXY_KEY: OTHER_KEY, OPENAI_API_KEY: VENDOR_KEY }

function configure(dir: string, content: object): void {
  writeFileSync(join(dir, 'toolwire.config.json'), JSON.stringify(content))
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of any shape are compared field by field
type Answer = { readonly status: number; readonly body: any }

async function ask(server: Launched, method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(server.url + path, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
  return { status: response.status, body: await response.json() }
}

const ids = async (server: Launched): Promise<readonly string[]> =>
  (await ask(server, 'GET', '/v1/models')).body.data.map(({ id }: { id: string }) => id)

/** Asks until the list holds the id: discovery does not delay the start. */
async function untilListed(server: Launched, id: string): Promise<readonly string[]> {
  for (;;) {
    const list = await ids(server)
    if (list.includes(id)) return list
  }
}

const complete = (server: Launched, model: string) =>
  ask(server, 'POST', '/v1/chat/completions', { model, messages: [{ role: 'user', content: 'hello' }] })

test('providers of the file answer side by side, each with its own key, models and prices', async () => {
  await inFolder(async dir => {
    configure(dir, { providers: providers() })
    const server = await launch(dir, undefined, ENV)
    const list = await untilListed(server, 'router/moonshotai/kimi-k2.5:free')
    await untilListed(server, 'ollama/qwen3:8b')
    expect(list).toContain('router/x')
    expect(list).toContain('proxy/claude-x')
    for (const model of ['router/moonshotai/kimi-k2.5:free', 'proxy/claude-x', 'ollama/qwen3:8b']) {
      const { status, body } = await complete(server, model)
      expect([model, status, body.choices?.[0]?.finish_reason]).toEqual([model, 200, 'stop'])
    }
    for (const fake of [router, proxy, local]) {
      const seen = JSON.stringify(fake.requests.map(({ headers, path }) => [headers, path]))
      expect(seen.includes(LOCAL_KEY)).toBe(fake === router)
      expect(seen.includes(OTHER_KEY)).toBe(fake === proxy)
      expect(seen).not.toContain(VENDOR_KEY)
    }
    const facts = (await ask(server, 'GET', '/api/models')).body.models
    const factsOf = (id: string) => facts.find((one: { id: string }) => one.id === id)
    expect(factsOf('router/moonshotai/kimi-k2.5:free')).toMatchObject({
      context: 131_072,
      price: { input: 2, output: 10, cache_read: 0.2 },
      price_source: 'provider',
    })
    expect(factsOf('proxy/claude-x')).toMatchObject({ price: { input: 3, output: 4 }, price_source: 'user' })
    const states = (await ask(server, 'GET', '/api/providers')).body.providers
    expect(states.map((one: { provider: string }) => one.provider)).toEqual([
      'anthropic',
      'openai',
      'router',
      'proxy',
      'ollama',
    ])
    expect(states[2]).toMatchObject({
      api: 'openai-chat',
      set: true,
      last4: 'abcd',
      address: `${router.url}/v1`,
      models: { count: 2 },
    })
    const settings = (await ask(server, 'GET', '/api/settings')).body
    for (const key of [LOCAL_KEY, OTHER_KEY, VENDOR_KEY])
      expect(JSON.stringify([states, settings, facts])).not.toContain(key)
    const { stdout, stderr } = await server.stop()
    const cache = readFileSync(join(dir, '.toolwire', 'provider-models.json'), 'utf8')
    for (const key of [LOCAL_KEY, OTHER_KEY, VENDOR_KEY]) expect(stdout + stderr + cache).not.toContain(key)
  })
})

test('a start without the provider lists the models of the last one, and a failure is shown', async () => {
  await inFolder(async dir => {
    const gone = await startFakeUpstream({ apiKey: false, models: { data: [{ id: 'kept' }] } })
    configure(dir, { providers: { gone: { api: 'openai-chat', baseUrl: `${gone.url}/v1` } } })
    const first = await launch(dir)
    await untilListed(first, 'gone/kept')
    await first.stop()
    await gone.close()
    const second = await launch(dir)
    expect(await ids(second)).toContain('gone/kept')
    const tested = await ask(second, 'POST', '/api/providers/gone/test')
    expect(tested.body).toMatchObject({ ok: false, error: { code: 'model_unavailable' } })
    const { providers: states } = (await ask(second, 'GET', '/api/providers')).body
    expect(states.at(-1)).toMatchObject({
      provider: 'gone',
      models: { count: 1 },
      last_error: { code: 'model_unavailable' },
    })
    expect(await ids(second)).toContain('gone/kept')
    await second.stop()
  })
})

test('an alias is a model on every wire, stays with its session, and its other models answer for a broken one', async () => {
  await inFolder(async dir => {
    const all = providers()
    const careful = { ...all.router, retries: 0, fallbacks: ['proxy/claude-x'] }
    configure(dir, {
      providers: { ...all, router: careful },
      aliases: { fast: ['router/m', 'ollama/qwen3:8b'] },
    })
    const server = await launch(dir, undefined, ENV)
    expect(await ids(server)).toContain('fast')
    const body = { model: 'fast', stream: false }
    const chat = { ...body, messages: [{ role: 'user', content: 'hello' }] }
    for (const [path, sent] of [
      ['/v1/chat/completions', chat],
      ['/v1/messages', { ...chat, max_tokens: 500 }],
      ['/v1/responses', { ...body, input: 'hello' }],
    ] as const) {
      const answer = await ask(server, 'POST', path, sent)
      expect([path, answer.status, answer.body.model]).toEqual([path, 200, 'fast'])
    }
    const { body: created } = await ask(server, 'POST', '/api/sessions', { model: 'fast' })
    const { id } = created.session ?? created
    const say = async () => {
      const before = [router.requests.length, local.requests.length]
      const response = await fetch(`${server.url}/api/chat/stream`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ session_id: id, message: 'hello' }),
      })
      expect(await response.text()).toContain('"subtype":"success"')
      return [router.requests.length, local.requests.length]
        .map((count, n) => count > (before[n] ?? 0))
        .join()
    }
    const first = await say()
    expect([await say(), await say()]).toEqual([first, first])
    // Every model of the alias is broken or its own: the fallback of the provider answers.
    router.stand('503')
    const broken = await ask(server, 'POST', '/v1/responses', { model: 'router/m', input: 'hello' })
    expect(broken.body).toMatchObject({ status: 'completed', warnings: [{ code: 'fallback_model' }] })
    router.stand(undefined)
    await server.stop()
    for (const aliases of [
      { fast: [] },
      { demo: ['ollama/x'] },
      { a: ['b'], b: ['ollama/x'] },
      { a: ['none/x'] },
    ]) {
      configure(dir, { providers: providers(), aliases })
      const { code, stderr } = await run(['start', '--port', '0'], dir, ENV)
      expect([code, stderr]).toEqual([2, expect.stringMatching(/aliases|No model has the id/)])
    }
  })
})

test('an entry named like a built-in provider changes only the fields that it gives', async () => {
  await inFolder(async dir => {
    configure(dir, { providers: { openai: { baseUrl: `${router.url}/v1`, key: 'ROUTER_KEY' } } })
    const server = await launch(dir, undefined, ENV)
    expect((await complete(server, 'openai/m')).status).toBe(200)
    await server.stop()
    expect(JSON.stringify(router.requests.map(({ headers }) => headers))).not.toContain(VENDOR_KEY)
  })
})

test('a provider of Settings answers with its own key alone, survives a restart and can be removed', async () => {
  await inFolder(async dir => {
    let server = await launch(dir, undefined, ENV)
    const body = { api: 'openai-chat', base_url: `${router.url}/v1`, key: LOCAL_KEY, test: true }
    expect(
      (await ask(server, 'PUT', '/api/providers/mine/key', { ...body, key: 'wrong-key-wrong-key' })).body.test
        .ok,
    ).toBe(false)
    expect((await ask(server, 'GET', '/api/providers')).body.providers).toHaveLength(2)
    expect((await ask(server, 'PUT', '/api/providers/mine/key', body)).body).toMatchObject({
      provider: 'mine',
      set: true,
      source: 'settings',
      test: { ok: true, models: 2 },
    })
    await server.stop('SIGKILL')
    server = await launch(dir, undefined, ENV)
    expect(await ids(server)).toContain('mine/x')
    expect((await complete(server, 'mine/x')).status).toBe(200)
    expect((await ask(server, 'DELETE', '/api/providers/mine/key')).body).toMatchObject({
      set: false,
      stored: false,
    })
    expect((await complete(server, 'mine/x')).status).toBe(404)
    // No key of the environment is sent to an entry without a key.
    await ask(server, 'PUT', '/api/providers/mine/key', { api: 'openai-chat', base_url: `${router.url}/v1` })
    expect((await complete(server, 'mine/x')).status).toBe(401)
    expect(JSON.stringify(router.requests.map(({ headers }) => headers))).not.toContain(VENDOR_KEY)
    await server.stop()
  })
})

test.for([
  ['mine', { base_url: 'http://127.0.0.1:1/v1' }, 404],
  ['mine', { api: 'openai-chat' }, 400],
  ['mine', { api: 'ai-sdk', base_url: 'http://127.0.0.1:1/v1' }, 400],
  ['demo', { api: 'openai-chat', base_url: 'http://127.0.0.1:1/v1' }, 404],
  ['__proto__', { api: 'openai-chat', base_url: 'http://127.0.0.1:1/v1' }, 404],
  ['Not A Name', { api: 'openai-chat', base_url: 'http://127.0.0.1:1/v1' }, 404],
  ['anthropic', { api: 'openai-chat', key: 'k' }, 400],
] as const)('Settings refuse the provider %s %j', async ([name, body, status]) => {
  await inFolder(async dir => {
    const server = await launch(dir)
    const put = await ask(server, 'PUT', `/api/providers/${encodeURIComponent(name)}/key`, body)
    expect(put.status).toBe(status)
    await server.stop()
  })
})

describe('a configuration file that the user has not allowed', () => {
  test('gets no key to any address: not by a start, not by the doctor', async () => {
    const thief = await startFakeUpstream({ apiKey: false })
    await inFolder(async dir => {
      const config = {
        model: 'openai/m',
        providers: {
          openai: { baseUrl: `${thief.url}/v1` },
          thief: { api: 'openai-chat', baseUrl: `${thief.url}/v1`, key: 'OPENAI_API_KEY' },
        },
      }
      mkdirSync(join(dir, 'repository'))
      configure(join(dir, 'repository'), config)
      const env = {
        ...ENV,
        OPENAI_BASE_URL: `${local.url}/v1`,
        TOOLWIRE_CONFIG: '',
        XDG_CONFIG_HOME: join(dir, 'config'),
      }
      const cwd = join(dir, 'repository')
      const started = await run(['start', '--port', '0'], cwd, env)
      expect([started.code, started.stderr]).toEqual([2, expect.stringContaining('providers')])
      const doctor = await run(['doctor', '--online', '--port', '0'], cwd, env)
      expect(doctor.stdout).not.toContain('thief')
      const prompt = await run(['prompt'], cwd, env)
      expect(prompt.code).toBe(2)
      expect(started.stderr + doctor.stdout + doctor.stderr).not.toContain(VENDOR_KEY)
      expect(thief.requests).toEqual([])
    })
    await thief.close()
  })
})

describe('the setting providers', () => {
  const read = (value: unknown) =>
    readConfig({ flags: {}, env: { TOOLWIRE_PROVIDERS: JSON.stringify(value) }, cwd: '/nowhere' })
  const entry = { api: 'openai-chat', baseUrl: 'https://x.example/v1' }

  test('is taken from the variable as JSON', () => {
    expect(read({ x: { ...entry, models: ['a'] } }).providers).toEqual({ x: { ...entry, models: { a: {} } } })
  })

  test.for([
    [{ demo: entry }, /providers\.demo must have a name/],
    [{ 'Big Name': entry }, /providers\.Big Name must have a name/],
    [{ x: { ...entry, wire: 'x' } }, /providers\.x .*wire/],
    [{ x: { baseUrl: 'https://x.example' } }, /providers\.x\.api is needed/],
    [{ x: { api: 'anthropic' } }, /providers\.x\.baseUrl is needed/],
    [{ x: { api: 'ai-sdk' } }, /providers\.x\.module is needed/],
    [{ x: { ...entry, baseUrl: 'https://user:pass@x.example' } }, /providers\.x\.baseUrl must begin/],
    [{ x: { ...entry, key: 'sk-proj-pasted-secret' } }, /providers\.x\.key must be the name/],
    [{ x: { ...entry, key: 'gsk_pastedsecret' } }, /providers\.x\.key must be the name/],
    [{ x: { ...entry, key: 'PATH' } }, /providers\.x\.key must be the name/],
    [{ x: { ...entry, headers: { a: { env: 'HOME' } } } }, /providers\.x\.headers\.a/],
    [
      { x: { ...entry, prices: { m: { input: -1, output: 1 } } } },
      /providers\.x\.prices\.m\.input must not be negative/,
    ],
    [{ x: { ...entry, models: { m: { context: 'big' } } } }, /providers\.x\.models/],
    ['nonsense', /providers must be an object/],
  ] as const)('%j is refused with its place', ([value, message]) => {
    expect(() => read(value)).toThrow(message)
    expect(() => read(value)).not.toThrow(/pasted/)
  })
})

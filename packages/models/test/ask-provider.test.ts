/** Asking a provider for its models, as a test of a key does. */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, LookupFunction } from 'node:net'
import { startFakeUpstream } from '@toolwire/demo'
import { afterEach, expect, test } from 'vitest'
import { probeProvider } from '../src/ask-provider.ts'

const SECRET = 'sk-proj-do-"not"-show'
let server: Server | undefined
afterEach(async () => {
  server?.closeAllConnections()
  await new Promise<void>(resolve => (server ? server.close(() => resolve()) : resolve()))
  server = undefined
})

async function serve(answer: RequestListener): Promise<string> {
  server = createServer(answer)
  await new Promise<void>(resolve => server?.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
const never = new AbortController().signal
const ask = (baseUrl: string, more: object = {}) =>
  probeProvider({ provider: 'openai', apiKey: SECRET, baseUrl, ...more }, never)

test.each([
  ['anthropic', ''],
  ['openai', '/v1'],
] as const)(
  '%s lists its models for a good key, and rejects another with its own message',
  async (provider, path) => {
    const fake = await startFakeUpstream({ apiKey: 'good' })
    const baseUrl = `${fake.url}${path}/`
    expect(await probeProvider({ provider, apiKey: 'good', baseUrl }, never)).toEqual({
      ok: true,
      models: ['demo'],
    })
    const refused = await probeProvider({ provider, apiKey: 'bad', baseUrl }, never)
    expect(refused).toMatchObject({ ok: false, error: { code: 'model_auth', http_status: 401, provider } })
    expect(fake.requests.map(({ method, path: asked }) => `${method} ${asked}`)).toEqual([
      'GET /v1/models',
      'GET /v1/models',
    ])
    await fake.close()
  },
)

test('a key that the provider repeats is in no answer', async () => {
  const url = await serve((_, response) => void response.writeHead(401).end(`Incorrect API key: ${SECRET}`))
  const answer = await ask(url)
  expect(answer).toMatchObject({ ok: false, error: { code: 'model_auth' } })
  expect(JSON.stringify(answer)).not.toContain('do-')
})

test.each([
  ['another page', '<html>hello</html>'],
  ['an object without a list', '{"data":{}}'],
  ['nothing', ''],
])('an address that answers with %s is no provider', async (_, body) => {
  const url = await serve((_request, response) => void response.end(body))
  expect(await ask(url)).toMatchObject({ ok: false, error: { code: 'model_error' } })
})

test('ids that do not fit in a line are omitted', async () => {
  const data = [
    { id: 'good' },
    { id: 'with space' },
    { id: 'two\nlines' },
    { id: 7 },
    'text',
    { id: 'x'.repeat(300) },
  ]
  const url = await serve((_, response) => void response.end(JSON.stringify({ data })))
  expect(await ask(url)).toEqual({ ok: true, models: ['good'] })
})

test('an answer without end is cut, and one that does not come is a timeout', async () => {
  let url = await serve((_, response) => {
    const more = (): void => {
      while (!response.destroyed && response.write(' '.repeat(65_536)));
    }
    response.on('drain', more)
    more()
  })
  expect(await ask(url)).toMatchObject({ ok: false, error: { code: 'model_error' } })
  server?.closeAllConnections()
  const controller = new AbortController()
  url = await serve(() => controller.abort())
  const waiting = probeProvider({ provider: 'openai', baseUrl: url }, controller.signal)
  expect(await waiting).toMatchObject({ ok: false, error: { code: 'model_timeout' } })
})

test('a watched address is resolved by its watcher, and no redirect leads elsewhere', async () => {
  const asked: string[] = []
  const url = await serve((request, response) => {
    asked.push(request.url ?? '')
    if (request.url === '/elsewhere') response.end('{"data":[]}')
    else response.writeHead(307, { location: '/elsewhere' }).end()
  })
  const { port } = new URL(url)
  const lookup: LookupFunction = (_host, options, answer) =>
    options.all ? answer(null, [{ address: '127.0.0.1', family: 4 }]) : answer(null, '127.0.0.1', 4)
  const watched = await ask(`http://provider.invalid:${port}`, { lookup })
  expect(watched).toMatchObject({ ok: false, error: { code: 'model_unavailable' } })
  expect(await ask(url, { lookup })).toMatchObject({ ok: false, error: { code: 'model_unavailable' } })
  expect(asked).toEqual(['/models', '/models'])
  const refused: LookupFunction = (_host, _options, answer) => answer(new Error('is private'), '', 0)
  const private_ = await ask(`http://provider.invalid:${port}`, { lookup: refused })
  expect(private_).toMatchObject({ ok: false, error: { message: expect.stringContaining('is private') } })
  expect(asked).toHaveLength(2)
  // An address from the settings is not restricted.
  expect(await ask(url)).toEqual({ ok: true, models: [] })
})

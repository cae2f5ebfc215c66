/**
 * A server that speaks the Anthropic Messages API, the OpenAI Chat Completions API and the OpenAI Responses API the way
 * the real services do, driven by any model: for tests, demonstrations and work without a
 * network. Listens on the loopback address alone.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Model } from '@toolwire/core'
import { parseJson } from '@toolwire/core'
import { createDemoModel } from '../demo/demo-model.ts'
import { answer, refuse, sendJson } from './answer.ts'
import { type Api, CHAT, MESSAGES, RESPONSES } from './apis.ts'
import { countTokens } from './count-tokens.ts'
import { type Fault, parseFault } from './faults.ts'

export interface FakeUpstreamOptions {
  /** The model that responds; the demo model at full speed if absent. */
  readonly model?: Model
  /** A free one when absent or 0. */
  readonly port?: number
  /** The key that requests must carry; any when absent, none needed when false. */
  readonly apiKey?: string | false
  /** The body of `GET /v1/models`, or one for each page; the name of the model when absent. */
  readonly models?: unknown
  /** For every request that names no fault itself. */
  readonly fault?: Fault | string
}

export interface FakeRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: unknown
}

export interface FakeUpstream {
  /** `http://127.0.0.1:<port>`; the Anthropic base URL. OpenAI's has `/v1` at its end. */
  readonly url: string
  readonly port: number
  /** Every request so far, oldest first. */
  readonly requests: readonly FakeRequest[]
  /** Strikes the next requests that name no fault themselves, `times` of them (one unless it says more). */
  readonly strike: (fault: Fault | string) => void
  /** Applies a fault to every request without its own or a queued one; undefined ends it. */
  readonly stand: (fault: Fault | string | undefined) => void
  /** Takes connections again after the fault `refused`, before its time is over. Nothing when it listens. */
  readonly listen: () => Promise<void>
  /** Breaks open connections and stops listening. Idempotent. */
  readonly close: () => Promise<void>
}

const MAX_BODY = 32_000_000
const REFUSED_MS = 500
const VERSIONS: ReadonlySet<string> = new Set(['2023-01-01', '2023-06-01', '2026-10-21'])

/** Resolves when it listens. Throws when the port is taken or the fault unknown. */
export async function startFakeUpstream(options: FakeUpstreamOptions = {}): Promise<FakeUpstream> {
  const model = options.model ?? createDemoModel({ paceMs: 0 })
  let standing = options.fault === undefined ? undefined : toFault(options.fault)
  const queue: Fault[] = []
  const struck = new Map<string, number>()
  const requests: FakeRequest[] = []
  let back: NodeJS.Timeout | undefined
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://fake')
    const { text: body, isTooLarge } = await readBody(request)
    const { method = '', headers } = request
    requests.push({ method, path: url.pathname, headers, body: parseJson(body) })
    const requestId = `req_fake_${requests.length}`
    const api = apiOf(request, url)
    response.setHeader(api.requestIdHeader, requestId)
    const problem = problemOf(request, api, isTooLarge, options.apiKey)
    if (problem) return refuse({ api, response, requestId }, problem.status, problem.message)
    const plain = answerPlain(`${method} ${url.pathname}`, request, body, { model, models: options.models })
    if (plain) return sendJson(response, plain.status, plain.body)
    if (!STREAMED.has(`${method} ${url.pathname}`))
      return refuse({ api, response, requestId }, 404, 'Not found')
    const fault = pickFault(request, url)
    if (fault?.name === 'refused') return refuseFor(fault.ms)
    await answer({ api, model, body, fault, requestId, response, signal: goneSignal(response) })
  }

  /** The request's own fault, else a queued one, else the permanent one. */
  function pickFault(request: IncomingMessage, url: URL): Fault | undefined {
    const asked = request.headers['x-fake-fault'] ?? url.searchParams.get('fault')
    if (typeof asked !== 'string') return queue.shift() ?? standing
    const fault = parseFault(asked)
    if (fault?.times === undefined) return fault
    const count = (struck.get(asked) ?? 0) + 1
    struck.set(asked, count)
    return count <= fault.times ? fault : undefined
  }

  /** Breaks every connection, and takes none for a while. */
  function refuseFor(ms = REFUSED_MS): void {
    server.close()
    server.closeAllConnections()
    back = setTimeout(listen, ms)
  }

  function listen(): Promise<void> {
    clearTimeout(back)
    if (server.listening) return Promise.resolve()
    return new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, '127.0.0.1', () => {
        server.off('error', reject)
        resolve()
      })
    })
  }

  let port = options.port ?? 0
  await listen()
  port = (server.address() as AddressInfo).port
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    strike(given) {
      const fault = toFault(given)
      for (let n = 0; n < (fault.times ?? 1); n++) queue.push(fault)
    },
    stand(given) {
      standing = given === undefined ? undefined : toFault(given)
    },
    listen,
    close: () =>
      new Promise(resolve => {
        clearTimeout(back)
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Both services list their models at the same path; a header selects the list. */
const isMessages = ({ headers }: IncomingMessage, { pathname }: URL): boolean =>
  pathname.startsWith('/v1/messages') ||
  (pathname === '/v1/models' && headers['anthropic-version'] !== undefined)

function apiOf(request: IncomingMessage, url: URL): Api {
  if (isMessages(request, url)) return MESSAGES
  return url.pathname === '/v1/responses' ? RESPONSES : CHAT
}

const STREAMED: ReadonlySet<string> = new Set([
  'POST /v1/messages',
  'POST /v1/chat/completions',
  'POST /v1/responses',
])

/** The routes that no model answers. */
function answerPlain(
  route: string,
  request: IncomingMessage,
  body: string,
  { model, models }: { readonly model: Model; readonly models: unknown },
): { readonly status: number; readonly body?: unknown } | undefined {
  if (route.startsWith('HEAD ')) return { status: 200, body: {} }
  if (route === 'GET /v1/models') return { status: 200, body: models ?? listModels(request, model) }
  if (route === 'POST /v1/messages/count_tokens')
    return { status: 200, body: { input_tokens: countTokens(body) } }
  return undefined
}

function toFault(given: Fault | string): Fault {
  const fault = typeof given === 'string' ? parseFault(given) : given
  if (!fault) throw new RangeError(`There is no fault "${String(given)}".`)
  return fault
}

function goneSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  response.once('close', () => controller.abort())
  return controller.signal
}

/** Read to its end in any case; kept only when it is no larger than the real services take. */
async function readBody(
  request: IncomingMessage,
): Promise<{ readonly text: string; readonly isTooLarge: boolean }> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += (chunk as Buffer).length
    if (size <= MAX_BODY) chunks.push(chunk as Buffer)
  }
  const isTooLarge = size > MAX_BODY
  return { text: isTooLarge ? '' : Buffer.concat(chunks).toString('utf8'), isTooLarge }
}

interface Problem {
  readonly status: number
  readonly message: string
}

/** The reason that a request is rejected unread. */
function problemOf(
  request: IncomingMessage,
  api: Api,
  isTooLarge: boolean,
  apiKey: string | false | undefined,
): Problem | undefined {
  if (isTooLarge) return { status: 413, message: 'Request exceeds the maximum size' }
  return request.method === 'HEAD' ? undefined : checkHeaders(request, api, apiKey)
}

/** Keys come as `x-api-key`, as `api-key` (Azure) or as a bearer token. */
function checkHeaders(
  request: IncomingMessage,
  api: Api,
  apiKey: string | false | undefined,
): Problem | undefined {
  const bearer = request.headers.authorization?.replace(/^Bearer\s+/i, '')
  const own = request.headers['x-api-key'] ?? request.headers['api-key']
  const key = (typeof own === 'string' ? own : undefined) ?? bearer ?? ''
  if (apiKey !== false && (key === '' || (apiKey !== undefined && key !== apiKey)))
    return { status: 401, message: api === MESSAGES ? 'invalid x-api-key' : 'Incorrect API key provided.' }
  const version = request.headers['anthropic-version']
  if (api !== MESSAGES) return undefined
  if (typeof version !== 'string') return { status: 400, message: 'anthropic-version: header is required' }
  return VERSIONS.has(version)
    ? undefined
    : { status: 400, message: `anthropic-version: ${version} is not valid` }
}

function listModels(request: IncomingMessage, model: Model): unknown {
  if (request.headers['anthropic-version'] === undefined)
    return { object: 'list', data: [{ id: model.id, object: 'model', created: 0, owned_by: model.provider }] }
  const entry = { type: 'model', id: model.id, display_name: model.id, created_at: '1970-01-01T00:00:00Z' }
  return { data: [entry], has_more: false, first_id: model.id, last_id: model.id }
}

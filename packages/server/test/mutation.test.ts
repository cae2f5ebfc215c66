import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readFrames } from './read-sse.ts'
import { type Running, startServer } from './start-server.ts'

let running: Running
let sessions: string[]
beforeAll(async () => {
  running = await startServer({ bodyLimit: 100_000 })
  sessions = [await running.newSession(), await running.newSession()]
  await readFrames(await running.chat({ session_id: sessions[0] ?? '', message: 'client' }))
})
afterAll(async () => {
  await running.close()
})

/** mulberry32: the same requests every time. */
function createRandom(seed: number): <T>(choices: readonly T[]) => T {
  let state = seed
  return choices => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return choices[((((t ^ (t >>> 14)) >>> 0) / 4294967296) * choices.length) | 0] as never
  }
}

const METHODS = ['GET', 'POST', 'PATCH', 'DELETE', 'PUT', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND']
const PATHS = [
  '/api/sessions',
  '/api/sessions/$S',
  '/api/sessions/$S/events',
  '/api/sessions/$S/events?wire=$V&after=$V&follow=false',
  '/api/sessions/$S/messages',
  '/api/sessions/$S/export',
  '/api/sessions/$S/cancel',
  '/api/sessions/$S/fork',
  '/api/sessions/$S/tool_outputs',
  '/api/sessions?text=$V&status=$V&cursor=$V&limit=$V&inputs=$V',
  '/api/chat/stream',
  '/api/chat/stream?session_id=$S&conversation_id=$V&after=$V',
  '/api/approvals/apr_$S.$V',
  '/api/approvals/$V',
  '/api/pending?limit=$V&inputs=$V',
  '/api/tools',
  '/health',
  '/$V',
  '//api//sessions',
]
const VALUES = [
  '',
  '0',
  '-1',
  '1e9',
  '%00',
  '%ZZ',
  '..%2f..',
  'null',
  'true',
  '[]',
  '🙂',
  '%F0%9F%99%82',
  'x'.repeat(300),
  "'",
  '%25',
  'chat',
  'running',
  '1.1.1',
]
const JSON_VALUES: readonly unknown[] = [
  null,
  0,
  -1,
  1e308,
  true,
  '',
  'x',
  '\u0000',
  '\ud800',
  [],
  {},
  [[]],
  { a: { b: [] } },
  'x'.repeat(2000),
  ['x', 1],
  { __proto__: 1 },
]
const FIELDS = [
  'session_id',
  'message',
  'model',
  'tools',
  'tool_outputs',
  'approvals',
  'max_turns',
  'max_cost_usd',
  'options',
  'resume',
  'if_paused',
  'title',
  'workspace',
  'permission_mode',
  'metadata',
  'system',
  'decision',
  'approved',
  'reason',
  'input',
  'answer',
  'at',
  'limit',
  '__proto__',
  'constructor',
]
const TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json; charset=x',
  'text/plain',
  'multipart/form-data',
  '',
  'application/problem+json',
  ';;;',
]
const HEADERS: readonly Record<string, string>[] = [
  {},
  {},
  {},
  { 'last-event-id': 'x.1.1' },
  { 'idempotency-key': 'k' },
  { 'idempotency-key': 'ä b' },
  { 'x-request-id': 'a b' },
  { origin: 'https://e.example' },
  { accept: 'text/event-stream' },
  { 'transfer-encoding': 'chunked' },
  { expect: '100-continue' },
  { 'content-encoding': 'gzip' },
  { range: 'bytes=0-1' },
]

interface Sent {
  readonly status: number
  readonly text: string
}

/** Sends and reads the answer; a stream is read to its first bytes only. */
function send(
  method: string,
  path: string,
  headers: Record<string, string>,
  body: string | Buffer | undefined,
): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const base = new URL(running.url).pathname.replace(/\/$/, '')
    const sent = request(running.url, { method, path: base + path, headers }, response => {
      const status = response.statusCode ?? 0
      let text = ''
      response.on('data', chunk => {
        text += chunk
        if (response.headers['content-type']?.startsWith('text/event-stream')) sent.destroy()
      })
      response.on('error', () => resolve({ status, text }))
      response.on('close', () => resolve({ status, text }))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

function mutated(pick: ReturnType<typeof createRandom>) {
  const fill = (text: string): string =>
    text
      .replaceAll('$S', () => pick([...sessions, 'nope', pick(VALUES)]))
      .replaceAll('$V', () => pick(VALUES))
  const path = [...fill(pick(PATHS))].map(c => (c > '~' ? encodeURIComponent(c) : c)).join('')
  const object: Record<string, unknown> = {}
  for (let i = pick([0, 1, 2, 4]); i > 0; i--)
    Object.defineProperty(object, pick(FIELDS), {
      value: pick(JSON_VALUES),
      enumerable: true,
      configurable: true,
      writable: true,
    })
  if (pick([true, false])) object['session_id'] = pick(sessions)
  const text = JSON.stringify(object)
  const body = pick<string | Buffer | undefined>([
    text,
    text,
    text,
    text.slice(0, -1),
    undefined,
    '',
    Buffer.from([0xff, 0xfe]),
    '['.repeat(3000),
    `"${'x'.repeat(200_000)}"`,
  ])
  const headers = { 'content-type': pick(TYPES), ...pick(HEADERS) }
  return { method: pick(METHODS), path, headers, body }
}

describe('mutated requests', () => {
  it('never get a server error, never hang, and leave the server working', async () => {
    const pick = createRandom(20260101)
    const seen = new Map<number, number>()
    for (let i = 0; i < 4000; i++) {
      const { method, path, headers, body } = mutated(pick)
      const answer = await send(method, path, headers, body).catch((error: Error & { code?: string }) => {
        // A refused upload may be cut off while it is still sent; a body without a length is taken for a second request.
        if (error.code === 'EPIPE' || error.code === 'ECONNRESET' || error.code?.startsWith('HPE_'))
          return { status: 413, text: '' }
        throw new Error(`${method} ${path}: ${error.message}`)
      })
      if (answer.status >= 500)
        throw new Error(
          `${answer.status} for ${method} ${path} ${String(body).slice(0, 300)}: ${answer.text}`,
        )
      if (answer.status >= 400 && answer.text !== '')
        expect(JSON.parse(answer.text).error.code).toBeTypeOf('string')
      seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1)
    }
    for (const status of [200, 201, 400, 403, 404, 405, 413, 415])
      expect([status, seen.has(status)]).toEqual([status, true])
    expect(running.logged.filter(line => line.includes('bug'))).toEqual([])
    const session_id = await running.newSession()
    const frames = await readFrames(await running.chat({ session_id, message: 'echo still here' }))
    expect(frames.find(frame => frame.data.type === 'result')?.data.data.result).toBe('echo still here')
  })
})

import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMemoryStore } from '@toolwire/store'
import { answerRules } from '@toolwire/tools'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createServer, type Server } from '../../src/index.ts'
import { FRAME_PAGE, frameHeaders } from '../../src/web/html-frame.ts'

let folder: string
let server: Server | undefined

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolwire-web-routes-'))
})
afterEach(async () => {
  await server?.close()
  server = undefined
  rmSync(folder, { recursive: true, force: true })
})

/** A server with these files as its page; returns its address. */
async function serve(
  files: Readonly<Record<string, string>>,
  apiKeys: readonly string[] = [],
): Promise<string> {
  const root = join(folder, 'dist')
  mkdirSync(join(root, 'assets'), { recursive: true })
  for (const [name, body] of Object.entries(files)) writeFileSync(join(root, name), body)
  server = await createServer({
    store: createMemoryStore(),
    runtime: { wake() {} },
    rules: answerRules,
    settings: { port: 0, apiKeys },
    ids: { uuid: () => randomUUID(), prefixed: prefix => prefix + randomUUID() },
    clock: { now: () => new Date() },
    webRoot: root,
  })
  return await server.listen()
}

const PAGE = { 'index.html': '<!doctype html><p>the page</p>', 'assets/app-1.js': 'x'.repeat(5000) }

test.each([
  '/',
  '/inbox',
  '/tools',
  '/settings',
  '/sessions/abc',
  '/sessions/abc/trace',
  '/agents',
  '/sessions/abc/prompt',
])('the page at %s has a policy that runs nothing but its own code', async path => {
  const answer = await fetch((await serve(PAGE)) + path)
  expect(await answer.text()).toContain('the page')
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
  // Verbatim: an omission here is an attack.
  expect((answer.headers.get('content-security-policy') ?? '').split('; ').slice(0, -1)).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ])
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-cache',
  })
})

test('files named by their content are kept for good and sent compressed', async () => {
  const url = await serve(PAGE)
  const answer = await fetch(`${url}/assets/app-1.js`, { headers: { 'accept-encoding': 'gzip' } })
  expect(await answer.text()).toBe('x'.repeat(5000))
  expect(answer.headers.get('content-encoding')).toBe('gzip')
  expect(answer.headers.get('cache-control')).toContain('immutable')
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
})

test('a page that has not changed is not sent again', async () => {
  const url = await serve(PAGE)
  const etag = (await fetch(url)).headers.get('etag') ?? ''
  const again = await fetch(url, { headers: { 'if-none-match': etag } })
  expect(again.status).toBe(304)
})

test('nothing outside of the folder is served', async () => {
  writeFileSync(join(folder, 'secret.json'), '{}')
  const url = await serve(PAGE)
  for (const path of ['..%2F..%2Fsecret.json', '%2e%2e%2fsecret.json', '..%5csecret.json', 'other.js'])
    expect((await fetch(`${url}/assets/${path}`)).status).toBe(404)
})

test('the page needs no key, data does', async () => {
  const url = await serve(PAGE, ['a-key-of-length'])
  expect((await fetch(url)).status).toBe(200)
  expect((await fetch(`${url}/assets/app-1.js`)).status).toBe(200)
  expect((await fetch(`${url}/api/sessions`)).status).toBe(401)
})

test('without a built page it says how to build one, and the API works', async () => {
  const url = await serve({})
  const answer = await fetch(url)
  expect(answer.status).toBe(503)
  expect(await answer.text()).toContain('npm run')
  expect((await fetch(`${url}/api/sessions`)).status).toBe(200)
})

test('the frame for HTML of tools loads nothing, shares no origin, and runs scripts only when allowed', async () => {
  const url = await serve(PAGE)
  const policyOf = async (path: string) =>
    (await fetch(url + path)).headers.get('content-security-policy') ?? ''
  const still = await policyOf('/frame')
  expect(still).toContain('sandbox allow-scripts;')
  expect(still).toContain("default-src 'none'")
  expect(still).toMatch(/script-src 'sha256-[^']+';/)
  expect(still).not.toMatch(/https?:|connect-src|frame-src|allow-same-origin/)
  for (const wall of ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'self'"])
    expect(still.split('; ')).toContain(wall)
  expect(Object.fromEntries((await fetch(`${url}/frame`)).headers)).toMatchObject({
    'permissions-policy': expect.stringContaining('clipboard-read=()'),
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-dns-prefetch-control': 'off',
  })
  expect(await policyOf('/frame?scripts=1')).toContain("script-src 'unsafe-inline'")
  expect(await policyOf('/frame?scripts=no')).toBe(still)
  // The page of the app lets a frame go there alone.
  expect(await policyOf('/')).toContain(`frame-src ${new URL(url).host}/frame`)
})

test('the frame reaches what the user allowed, and never more by a mistake in that', async () => {
  const url = await serve(PAGE)
  const policyOf = async (query: Record<string, string>) =>
    (await fetch(`${url}/frame?${new URLSearchParams({ scripts: '1', ...query })}`)).headers.get(
      'content-security-policy',
    ) ?? ''
  const closed = await policyOf({})
  const connect = await policyOf({ connect: 'https://api.example.com wss://live.example.com:8443' })
  expect(connect).toContain('; connect-src https://api.example.com wss://live.example.com:8443;')
  expect(connect.replace(/connect-src [^;]+; /, '')).toBe(closed)
  const load = await policyOf({ load: 'https://*.example.com' })
  for (const kind of ["script-src 'unsafe-inline'", "style-src 'unsafe-inline'", 'img-src data: blob:'])
    expect(load).toContain(`${kind} https://*.example.com;`)
  expect(load).not.toContain('connect-src')
  expect(load).toContain("default-src 'none'")
  const refused = [
    '*',
    'https:',
    'http://example.com',
    'https://*',
    'https://*.com/x',
    'https://localhost',
    'https://127.0.0.1',
    'https://[::1]',
    'https://printer.lan',
    'https://a.example;script-src',
    "'unsafe-eval'",
    'data:',
    'https://example.com/path',
  ]
  for (const origin of refused) {
    expect(await policyOf({ connect: origin, load: origin })).toBe(closed)
    expect(await policyOf({ connect: `${origin}\n; frame-src *`, load: `${origin}\r\nx: y` })).toBe(closed)
  }
  // Without scripts there are no external ones either.
  expect(await policyOf({ scripts: '0', load: 'https://a.example' })).toMatch(/script-src 'sha256-[^' ]+';/)
})

test('the frame never reaches the server itself, under whatever name it is known', async () => {
  const policy = (host: string, origin: string) =>
    frameHeaders({ scripts: true, connect: origin, host })['content-security-policy']
  const closed = policy('tw.example.com:8000', '')
  for (const origin of ['https://tw.example.com', 'https://TW.example.com:8000', 'https://*.example.com'])
    expect(policy('tw.example.com:8000', origin)).toBe(closed)
  expect(policy('tw.example.com', 'https://api.example.com')).toContain('connect-src https://api.example.com')
})

test('the frame becomes the first text that the page around it sends, and ignores all others', () => {
  const script = /<script>(.*)<\/script>/s.exec(FRAME_PAGE)?.[1] ?? ''
  const parent = {}
  const run = (self: object, around: object) => {
    const written: unknown[] = []
    let take: ((event: object) => void) | undefined
    const document = { open() {}, close() {}, write: (text: unknown) => written.push(text) }
    const listen = (_: string, listener: (event: object) => void) => {
      take = listener
    }
    const forget = () => {
      take = undefined
    }
    new Function('addEventListener', 'removeEventListener', 'parent', 'window', 'document', script)(
      listen,
      forget,
      around,
      self,
      document,
    )
    return { written, send: (source: object, data: unknown) => take?.({ source, data }) }
  }
  const framed = run({}, parent)
  framed.send({}, 'from another window')
  framed.send(parent, { not: 'a text' })
  framed.send(parent, '<p>page</p>')
  framed.send(parent, '<p>another</p>')
  expect(framed.written).toEqual(['<p>page</p>'])
  // Opened by itself there is no page around it.
  const alone = {}
  const top = run(alone, alone)
  top.send(alone, '<p>page</p>')
  expect(top.written).toEqual([])
})

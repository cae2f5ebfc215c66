import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAnthropicModel, createOpenAiChatModel } from '../../src/index.ts'
import { post } from '../../src/shared/post.ts'
import type { Chunks } from '../../src/shared/provider-response.ts'
import { collect } from '../collect.ts'

let server: Server
let base = ''
let seen: { readonly url: string | undefined; readonly body: string } | undefined
const held: ServerResponse[] = []

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = ''
    request.on('data', chunk => {
      body += String(chunk)
    })
    request.on('end', () => {
      seen = { url: request.url, body }
      if (request.url === '/moved') response.writeHead(307, { location: '/there' }).end()
      else if (request.url === '/away')
        response.writeHead(307, { location: `${base.replace('127.0.0.1', 'localhost')}/there` }).end()
      else if (request.url === '/packed')
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('packed text'))
      else if (request.url === '/torn') {
        response.writeHead(200, { 'content-length': '100' }).write('half')
        setTimeout(() => response.destroy(), 20)
      } else if (request.url === '/slow') held.push(response)
      else if (request.url?.startsWith('/endless')) writeForever(response, request.url)
      else if (request.url === '/bomb')
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(20_000_000, 'x')))
      else response.writeHead(404, { 'x-several': ['a', 'b'] }).end('not here')
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(() => {
  server.closeAllConnections()
  server.close()
})

/** Resolves for each endless response that its reader has closed. */
const left: Promise<unknown>[] = []

/** Bytes of endless answers that the server could get rid of. */
let sent = 0

/** A refusal, or an answer in one piece, that has no end. */
function writeForever(response: ServerResponse, path: string): void {
  left.push(new Promise(resolve => response.once('close', resolve)))
  response.writeHead(path.includes('500') ? 500 : 200, { 'content-type': 'application/json' })
  const piece = Buffer.alloc(64 * 1024, ' ')
  const more = (): void => {
    while (!response.destroyed) {
      sent += piece.length
      if (!response.write(piece)) return
    }
  }
  response.on('drain', more)
  more()
}

const send = (path: string, signal = new AbortController().signal) =>
  post({
    url: base + path,
    headers: { 'content-type': 'application/json' },
    body: ['{"é"', Buffer.from(':1'), '}'],
    signal,
  })

/** Resolves when the server holds so many requests. */
async function arrived(count: number): Promise<void> {
  while (held.length < count) await new Promise(done => setTimeout(done, 5))
}

describe('a request to a provider', () => {
  test('never follows a redirect to another origin, which would get the key', async () => {
    const signal = AbortSignal.timeout(60_000)
    const headers = { 'x-api-key': 'secret' }
    await expect(post({ url: `${base}/away`, headers, body: ['{}'], signal })).rejects.toThrow(/redirects/)
    await expect(post({ url: `${base}/away`, headers, body: ['{}'], signal }, fetch)).rejects.toThrow()
    expect(seen?.url).toBe('/away')
  })

  test('gives status, headers and text of what is answered', async () => {
    const answer = await send('/nowhere')
    expect([answer.ok, answer.status, answer.headers.get('X-Several'), answer.headers.get('none')]).toEqual([
      false,
      404,
      'a, b',
      null,
    ])
    expect(await answer.text()).toBe('not here')
    expect(seen?.body).toBe('{"é":1}')
  })

  test('follows a server that sends it elsewhere', async () => {
    expect((await send('/moved')).status).toBe(404)
    expect(seen).toEqual({ url: '/there', body: '{"é":1}' })
  })

  test('reads an answer that was compressed unasked', async () => {
    const chunks = (await send('/packed')).chunks()
    let text = ''
    for (let chunk = await next(chunks); chunk; chunk = await next(chunks)) text += String(chunk)
    expect(text).toBe('packed text')
  })

  test('reads the requested part of an endless response, and closes it', async () => {
    const before = left.length
    expect(await (await send('/endless')).text(100_000)).toHaveLength(100_000)
    expect(left).toHaveLength(before + 1)
    await Promise.all(left)
    expect(await (await send('/bomb')).text(1000)).toBe('x'.repeat(1000))
  })

  test.each([
    ['a refusal', '/endless-500'],
    ['an answer in one piece', '/endless'],
  ])('%s without end fails the request, and takes no more memory than it may', async (_, path) => {
    const models = [
      createAnthropicModel({ model: 'm', apiKey: 'k', baseUrl: base + path, retry: { maxRetries: 0 } }),
      createOpenAiChatModel({ model: 'm', apiKey: 'k', baseUrl: base + path, retry: { maxRetries: 0 } }),
    ]
    for (const model of models) {
      sent = 0
      const parts = await collect(model)
      expect(parts.map(part => part.type)).toEqual(['error'])
      // What is kept, and what the system holds on its way.
      expect(sent).toBeLessThan(40_000_000)
    }
    await Promise.all(left)
  })

  test('an address with a password in it is refused, and the password repeated nowhere', async () => {
    const baseUrl = base.replace('//', '//user:pa55word@')
    for (const create of [createAnthropicModel, createOpenAiChatModel]) {
      const parts = await collect(create({ model: 'm', apiKey: 'k', baseUrl, retry: { maxRetries: 0 } }))
      expect(parts.map(part => part.type)).toEqual(['error'])
      expect(JSON.stringify(parts)).not.toContain('pa55')
    }
  })

  test('an interrupted response is an error after its data', async () => {
    const chunks = (await send('/torn')).chunks()
    expect(String(await next(chunks))).toBe('half')
    await expect(next(chunks)).rejects.toThrow()
  })

  test('ends when it is given up, before the answer and in it', async () => {
    const early = new AbortController()
    const asked = expect(send('/slow', early.signal)).rejects.toThrow(/abort/i)
    await arrived(1)
    early.abort()
    await asked
    const late = new AbortController()
    const answer = send('/slow', late.signal)
    await arrived(2)
    held[1]?.writeHead(200).write('x')
    const chunks = (await answer).chunks()
    await next(chunks)
    late.abort()
    await expect(next(chunks)).rejects.toThrow(/abort/i)
  })

  test('an address with a password, or none at all, is refused', async () => {
    const signal = new AbortController().signal
    for (const url of ['http://me:secret@127.0.0.1:1/', 'nonsense'])
      await expect(post({ url, headers: {}, body: [''], signal })).rejects.toThrow(TypeError)
  })
})

async function next(chunks: Chunks | undefined): Promise<Uint8Array | undefined> {
  await chunks?.ready()
  return chunks?.take()
}

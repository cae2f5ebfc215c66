/** Bodies that are small to send and large to take in. */
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { type Running, startServer } from '../start-server.ts'
import { rawRequest } from './raw-request.ts'

let running: Running | undefined
afterEach(async () => {
  await running?.close()
  running = undefined
})

/** Every route that takes a body, with a body that it would take. */
const ROUTES = [
  '/api/sessions',
  '/api/chat/stream',
  '/v4/response',
  '/v4/prepare',
  '/v1/messages',
  '/v1/messages/count_tokens',
  '/v1/chat/completions',
] as const

/** Fifty megabytes, packed into fifty kilobytes. */
const bomb = gzipSync(Buffer.alloc(50_000_000, 32))

const post = (url: string, path: string, body: string | Buffer, more: readonly string[] = []) =>
  rawRequest(
    url,
    [`POST ${path} HTTP/1.1`, 'Host: localhost', 'Content-Type: application/json', ...more],
    body,
  )

describe.each(ROUTES)('%s', path => {
  it('unpacks nothing: a compressed body is no JSON', async () => {
    running = await startServer()
    for (const encoding of ['gzip', 'deflate', 'br']) {
      const { status } = await post(running.url, path, bomb, [`Content-Encoding: ${encoding}`])
      expect([encoding, status]).toEqual([encoding, 415])
    }
  })

  it.each([
    ['arrays', '['.repeat(200_000)],
    ['objects', '{"a":'.repeat(100_000)],
    ['closed arrays', `${'['.repeat(5_000)}${']'.repeat(5_000)}`],
    ['strings that look like the end of nesting', `{"a":"]]]","b":${'['.repeat(100)}${']'.repeat(100)}}`],
  ])('refuses deep %s before anything walks them', async (_, body) => {
    running = await startServer()
    expect((await post(running.url, path, body)).status).toBe(400)
    expect((await running.json('GET', '/health')).status).toBe(200)
  })

  it('answers a hundred thousand mistakes with a short refusal', async () => {
    running = await startServer({ bodyLimit: 20_000_000 })
    // As many as a body may hold: of messages, input items and metadata there may be less.
    const many = Array.from({ length: 30_000 }, () => 1)
    const body = {
      messages: many.slice(0, 4000),
      input: many.slice(0, 4000),
      tools: many,
      message: many,
      tool_outputs: many,
      metadata: many.slice(0, 256),
    }
    const { status, text } = await post(
      running.url,
      path,
      JSON.stringify({ model: 'demo', max_tokens: 1, ...body }),
    )
    expect(status).toBe(400)
    expect(text.length).toBeLessThan(20_000)
  })

  it('is not changed by keys that mean something to the language', async () => {
    running = await startServer()
    const body = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'
    await post(running.url, path, body)
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })
})

it('a body beyond the limit is rejected, with or without a declared length', async () => {
  running = await startServer({ bodyLimit: 1000 })
  const { url } = running
  expect((await post(url, '/api/sessions', `"${'x'.repeat(5000)}"`)).status).toBe(413)
  const chunked = await fetch(`${url}/api/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: new ReadableStream({
      start(controller) {
        for (let n = 0; n < 50; n++) controller.enqueue(Buffer.alloc(100, 32))
        controller.close()
      },
    }),
    duplex: 'half',
  } as RequestInit)
  expect(chunked.status).toBe(413)
})

it('two lengths, or a length beside chunks, are refused: no second request hides in the first', async () => {
  running = await startServer()
  const head = ['POST /api/sessions HTTP/1.1', 'Host: localhost', 'Content-Type: application/json']
  expect((await rawRequest(running.url, [...head, 'Transfer-Encoding: chunked'], '0\r\n\r\n')).status).toBe(
    400,
  )
  expect((await rawRequest(running.url, [...head, 'Content-Length: 7'], '{}')).status).toBe(400)
})

import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Chunks } from '../../src/shared/answer.ts'
import { post } from '../../src/shared/post.ts'

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
      else if (request.url === '/packed')
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('packed text'))
      else if (request.url === '/torn') {
        response.writeHead(200, { 'content-length': '100' }).write('half')
        setTimeout(() => response.destroy(), 20)
      } else if (request.url === '/slow') held.push(response)
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

  test('an answer that breaks off is an error after what came of it', async () => {
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

/** clients/bad-responses.json, which the Python clients read too: responses that no honest server sends. */
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createClient } from '../src/index.ts'

interface Part {
  readonly text?: string
  readonly times?: number
  readonly base64?: string
  readonly gzip?: string
}

interface Outcome {
  readonly seqs: readonly number[]
  readonly code?: string
  readonly cursors: readonly (string | null)[]
}

interface Case {
  readonly name: string
  readonly responses: readonly (readonly Part[])[]
  readonly expect: Outcome
  /** Where it is another one here. */
  readonly typescript?: Outcome
}

const TABLE = JSON.parse(
  readFileSync(new URL('../../../clients/bad-responses.json', import.meta.url), 'utf8'),
) as { readonly cases: readonly Case[] }

/** Sends each response to one connection, and nothing to all later ones. */
async function startBadServer(responses: Case['responses'], elsewhere = '') {
  const heads: string[] = []
  const server: Server = createServer(socket => {
    socket.on('error', () => {})
    let head = ''
    socket.on('data', async data => {
      head += data.toString('latin1')
      if (!head.includes('\r\n\r\n')) return
      const parts = responses[heads.push(head) - 1]
      head = ''
      if (!parts) socket.end('HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n')
      else await sendParts(socket, parts, elsewhere)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heads,
    close: () => new Promise(resolve => server.close(resolve)),
  }
}

async function sendParts(socket: Socket, parts: readonly Part[], elsewhere: string): Promise<void> {
  for (const { text = '', times = 1, base64, gzip } of parts) {
    const once = base64
      ? Buffer.from(base64, 'base64')
      : gzip
        ? gzipSync(gzip)
        : Buffer.from(text.replace('{elsewhere}', elsewhere))
    const many = Buffer.concat(Array.from({ length: Math.min(times, 10_000) }, () => once))
    for (let left = Math.max(1, times / 10_000); left > 0 && !socket.destroyed; left--)
      if (!socket.write(many)) await drained(socket)
  }
  socket.end()
}

/** Also when the client has left. */
async function drained(socket: Socket): Promise<void> {
  await new Promise<void>(resolve => {
    const done = () => {
      socket.off('drain', done).off('close', done)
      resolve()
    }
    socket.on('drain', done).on('close', done)
  })
}

test.for(TABLE.cases)('$name', async ({ responses, expect: common, typescript: expected = common }) => {
  const elsewhere = await startBadServer([])
  const server = await startBadServer(responses, elsewhere.url)
  const client = createClient({
    baseUrl: server.url,
    apiKey: 'a-key-that-stays-here',
    retries: 1,
    backoff: { baseMs: 0, maxMs: 0 },
  })
  const seqs: number[] = []
  const code = await (async () => {
    for await (const { seq } of client.events('s', { follow: false })) seqs.push(seq)
  })().then(
    () => undefined,
    (error: { readonly code: string }) => error.code,
  )
  expect([seqs, code]).toEqual([expected.seqs, expected.code])
  const cursors = server.heads.map(head => /^last-event-id: (.*)$/im.exec(head)?.[1]?.trim() ?? null)
  expect(cursors).toEqual(expected.cursors)
  expect(server.heads.join('')).not.toContain('x-evil')
  expect(elsewhere.heads).toEqual([])
  client.close()
  await Promise.all([server.close(), elsewhere.close()])
})

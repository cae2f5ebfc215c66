/** Files in messages: what the log holds, what the model reads, and what becomes of a file that is gone. */
import { createHash, randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ContentPart, Model } from '@toolwire/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FilesServer, pngHeader, startFilesServer } from './files-server.ts'

let server: FilesServer
/** The user's parts of the latest request to the model. */
let asked: readonly ContentPart[][]
beforeEach(async () => {
  asked = []
  server = await startFilesServer({}, { model: listening() })
})
afterEach(() => server.close())

const listening = (): Model => ({
  provider: 'scripted',
  id: 'demo',
  async *stream({ messages }) {
    asked = [...asked, messages.flatMap(message => (message.role === 'user' ? message.content : []))]
    yield { type: 'start', provider_message_id: 'p', model: 'demo' }
    yield { type: 'block-start', index: 0, kind: 'text' }
    yield { type: 'block-delta', index: 0, text: 'heard' }
    yield { type: 'block-end', index: 0 }
    const usage = { input: 1, output: 1, cache_read: 0, cache_write: 0, reasoning: 0 }
    yield { type: 'end', stop_reason: 'end_turn', finish: 'stop', usage }
  },
})

const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex')
const png = (): Buffer => Buffer.concat([pngHeader(10, 10), randomBytes(100_000)])
const named = (file_id: string, type = 'file') => ({ type, source: { type: 'file', file_id } })

async function say(session: string, message: unknown, headers = {}) {
  const response = await server.chat({ session_id: session, message }, headers)
  const text = await response.text()
  await server.settled()
  return { status: response.status, text }
}
async function events(session: string) {
  return (await server.store.read(session, 0, 1000)).map(({ ev }) => ev)
}
const inputs = async (session: string) =>
  (await events(session)).flatMap(ev => (ev.type === 'input.message' ? [ev.content] : []))

describe('a message that names a file', () => {
  it('records what it is, and sends its bytes to the model in every request', async () => {
    const bytes = png()
    const { id } = (await server.upload(bytes, 'photo.png')).body
    const session = await server.newSession()
    expect((await say(session, [{ type: 'text', text: 'look' }, named(id)])).status).toBe(200)
    expect((await inputs(session))[0]?.[1]).toEqual({
      type: 'image',
      source: {
        type: 'file',
        file_id: id,
        sha256: sha256(bytes),
        bytes: bytes.length,
        media_type: 'image/png',
        filename: 'photo.png',
      },
    })
    await say(session, 'again')
    const inline = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: bytes.toString('base64') },
      title: 'photo.png',
    }
    expect(asked.map(parts => parts[1])).toEqual([inline, inline])
    expect((await server.json('GET', `/api/files/${id}`)).body.expires_at).toBeNull()
  })

  it('sends text files as text, and what no model takes as a note with a warning', async () => {
    const files = {
      csv: await server.upload('a,b\n1,2', 'a.csv'),
      zip: await server.upload('PK\x03\x04rest', 'a.zip'),
      locked: await server.upload('%PDF-1.7\ntrailer << /Encrypt 5 0 R >>', 'locked.pdf'),
      long: await server.upload('x'.repeat(1_100_000), 'long.txt'),
    }
    const session = await server.newSession()
    await say(
      session,
      Object.values(files).map(({ body }) => named(body.id)),
    )
    const [csv, ...notes] = asked[0] ?? []
    expect(csv).toEqual({
      type: 'document',
      source: { type: 'text', media_type: 'text/csv', data: 'a,b\n1,2' },
      title: 'a.csv',
    })
    const texts = notes.map(part => (part.type === 'text' ? part.text : part.type))
    expect(texts).toEqual([
      expect.stringContaining('"a.zip"'),
      expect.stringMatching(/"locked.pdf".*locked by a password/),
      expect.stringMatching(/"long.txt".*longer/),
    ])
    const warnings = (await events(session)).flatMap(ev =>
      ev.type === 'message.started' ? (ev.warnings ?? []) : [],
    )
    expect(warnings.map(({ code }) => code)).toEqual(Array(3).fill('media_left_out'))
    await say(session, 'continue')
    expect(asked[1]).toHaveLength(5)
    const ends = (await events(session)).filter(ev => ev.type === 'run.completed')
    expect(ends).toHaveLength(2)
  })

  it('is refused for a file that is unknown, deleted, or of a malformed id; nothing is recorded', async () => {
    const { id } = (await server.upload('a')).body
    await server.json('DELETE', `/api/files/${id}`)
    const session = await server.newSession()
    for (const [file, status, code] of [
      [id, 404, 'file_not_found'],
      [`file_${'0'.repeat(32)}`, 404, 'file_not_found'],
      ['../../etc/passwd', 400, 'bad_request'],
      ['file-openai', 400, 'bad_request'],
      ["file_' or 1=1", 400, 'bad_request'],
    ] as const) {
      const answer = await say(session, [{ type: 'text', text: 'look' }, named(file)])
      expect([file, answer.status, JSON.parse(answer.text).error.code]).toEqual([file, status, code])
    }
    const forged = { type: 'image', source: { ...named(id).source, sha256: sha256('x'), bytes: 1 } }
    expect((await say(session, [forged])).status).toBe(404)
    expect(await inputs(session)).toEqual([])
  })

  it('keeps its file until the session is deleted; forced away, it is a note and the session continues', async () => {
    const { id } = (await server.upload(png(), 'photo.png')).body
    const session = await server.newSession()
    await say(session, [{ type: 'text', text: 'look' }, named(id)])
    const refused = await server.json('DELETE', `/api/files/${id}`)
    expect([refused.status, refused.body.error.code]).toEqual([409, 'file_in_use'])
    expect((await server.json('DELETE', `/api/files/${id}?force=true`)).status).toBe(200)
    const fork = await server.json('POST', `/api/sessions/${session}/fork`, {})
    expect(fork.status).toBe(201)
    for (const one of [session, fork.body.id]) {
      expect((await say(one, 'again')).text).toContain('heard')
      expect(asked.at(-1)?.[1]).toEqual({
        type: 'text',
        text: '[The image "photo.png" that was here is left out: it was deleted.]',
      })
    }
  })

  it('whose store fails later is a note, and the run ends', async () => {
    const { id } = (await server.upload(png(), 'photo.png')).body
    const session = await server.newSession()
    await say(session, [{ type: 'text', text: 'look' }, named(id)])
    rmSync(join(server.folder, 'contents'), { recursive: true })
    writeFileSync(join(server.folder, 'contents'), 'no folder')
    expect((await say(session, 'again')).text).toContain('heard')
    expect(asked.at(-1)?.[1]).toMatchObject({ type: 'text', text: expect.stringContaining('left out') })
  })

  it('repeated with its key is one message', async () => {
    const { id } = (await server.upload(png())).body
    const session = await server.newSession()
    const key = { 'idempotency-key': 'k' }
    const message = [{ type: 'text', text: 'look' }, named(id)]
    expect((await say(session, message, key)).status).toBe(200)
    expect((await say(session, message, key)).status).toBe(200)
    expect(await inputs(session)).toHaveLength(1)
    const other = (await server.upload(png())).body.id
    expect((await say(session, [message[0], named(other)], key)).status).toBe(409)
  })
})

describe('inline data', () => {
  const inline = (bytes: Uint8Array, media_type = 'image/png') => ({
    type: 'image',
    source: { type: 'base64', media_type, data: Buffer.from(bytes).toString('base64') },
  })

  it('of more than 64 KiB is stored before the append, once for equal data', async () => {
    const bytes = png()
    const session = await server.newSession()
    const key = { 'idempotency-key': 'k' }
    const message = [{ type: 'text', text: 'look' }, inline(bytes)]
    expect((await say(session, message, key)).status).toBe(200)
    expect((await say(session, message, key)).status).toBe(200)
    await say(session, message)
    expect((await say(session, [message[0], inline(png())], key)).status).toBe(409)
    const [first, second] = await inputs(session)
    expect(first?.[1]).toMatchObject({ type: 'image', source: { type: 'file', sha256: sha256(bytes) } })
    expect(second?.[1]).toEqual(first?.[1])
    expect(JSON.stringify(await events(session)).length).toBeLessThan(20_000)
    expect(asked[0]?.[1]).toMatchObject(inline(bytes))
  })

  it('of less stays in its event', async () => {
    const session = await server.newSession()
    const small = inline(pngHeader(10, 10))
    await say(session, [{ type: 'text', text: 'look' }, small])
    expect((await inputs(session))[0]?.[1]).toEqual(small)
  })

  it('that no model can be shown never breaks the session', async () => {
    const huge = Buffer.concat([pngHeader(60_000, 60_000), randomBytes(100_000)])
    const session = await server.newSession()
    await say(session, [{ type: 'text', text: 'look' }, inline(huge)])
    await say(session, [{ type: 'text', text: 'small' }, inline(pngHeader(60_000, 60_000))])
    await say(session, [{ type: 'text', text: 'no image' }, inline(randomBytes(100_000).fill(0, 0, 9))])
    expect(asked.at(-1)?.filter(part => part.type !== 'text')).toEqual([])
    expect((await events(session)).filter(ev => ev.type === 'run.completed')).toHaveLength(3)
  })
})

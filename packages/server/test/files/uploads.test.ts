/** /api/files: what comes in goes out unchanged, nothing of it can run, and every refusal has its type. */
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DOOR } from '../door.ts'
import { type FilesServer, pngHeader, startFilesServer } from './files-server.ts'

const LIMITS = { file: 3_000_000, owner: 5_000_000, count: 50 }
let server: FilesServer
beforeEach(async () => {
  server = await startFilesServer({}, {}, LIMITS)
})
afterEach(() => server.close())

const sha256 = (content: Uint8Array | string): string => createHash('sha256').update(content).digest('hex')
const content = (id: string, init: RequestInit & { readonly query?: string } = {}) =>
  fetch(`${server.url}/api/files/${id}/content${init.query ?? ''}`, init)
/** Uploads that have begun and left something. */
const leftovers = (): readonly string[] => {
  const folder = join(server.folder, 'uploads')
  return existsSync(folder) ? readdirSync(folder) : []
}

async function sendForm(form: FormData | { readonly type: string; readonly body: string | Uint8Array }) {
  const isForm = form instanceof FormData
  const response = await fetch(`${server.url}/api/files`, {
    method: 'POST',
    ...(isForm
      ? { body: form }
      : { body: Uint8Array.from(Buffer.from(form.body)), headers: { 'content-type': form.type } }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: bodies of any shape are compared field by field
  return { status: response.status, body: (await response.json()) as any }
}
const withFile = (name: string, bytes: Uint8Array | string): FormData => {
  const form = new FormData()
  form.set('file', new File([typeof bytes === 'string' ? bytes : Uint8Array.from(bytes)], name))
  return form
}

describe('an upload', () => {
  it('comes back byte for byte, as a body and as a form, with its hash as its ETag', async () => {
    const bytes = randomBytes(2_000_000)
    for (const { status, body } of [
      await server.upload(bytes, 'a.bin'),
      await sendForm(withFile('a.bin', bytes)),
    ]) {
      expect(status).toBe(201)
      expect(body).toMatchObject({
        id: expect.stringMatching(/^file_[0-9a-f]{32}$/),
        sha256: sha256(bytes),
        bytes: bytes.length,
        media_type: 'application/octet-stream',
        filename: 'a.bin',
        scan: 'none',
        problem: null,
      })
      expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(86_400_000)
      const response = await content(body.id)
      expect(response.headers.get('etag')).toBe(`"${sha256(bytes)}"`)
      expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true)
      expect((await content(body.id, { headers: { 'if-none-match': `"${sha256(bytes)}"` } })).status).toBe(
        304,
      )
    }
    expect(leftovers()).toEqual([])
  })

  it('is read in ranges', async () => {
    const bytes = randomBytes(300_000)
    const { id } = (await server.upload(bytes)).body
    const range = async (value: string, more = {}) => {
      const response = await content(id, { headers: { range: value, ...more } })
      return [
        response.status,
        response.headers.get('content-range'),
        Buffer.from(await response.arrayBuffer()),
      ]
    }
    expect(await range('bytes=10-19')).toEqual([206, 'bytes 10-19/300000', bytes.subarray(10, 20)])
    expect(await range('bytes=-5')).toEqual([206, 'bytes 299995-299999/300000', bytes.subarray(-5)])
    expect(await range('bytes=300000-')).toEqual([416, 'bytes */300000', Buffer.alloc(0)])
    const [status] = await range('bytes=0-9', { 'if-range': '"of another content"' })
    expect(status).toBe(200)
  })

  it('is listed page by page, shown, and deleted', async () => {
    const ids: string[] = []
    for (const text of ['a', 'b', 'c']) ids.push((await server.upload(text)).body.id)
    const first = (await server.json('GET', '/api/files?limit=2')).body
    const second = (await server.json('GET', `/api/files?limit=2&cursor=${first.next_cursor}`)).body
    const listed = [...first.files, ...second.files].map(({ id }) => id)
    expect(listed.toSorted()).toEqual(ids.toSorted())
    expect(second.next_cursor).toBeNull()
    const [id = ''] = ids
    expect((await server.json('GET', `/api/files/${id}`)).body).toMatchObject({ id, filename: 'file' })
    expect((await server.json('DELETE', `/api/files/${id}`)).body).toEqual({ id, deleted: true })
    for (const path of [`/api/files/${id}`, `/api/files/${id}/content`]) {
      const { status, body } = await server.json('GET', path)
      expect([status, body.error.code]).toEqual([404, 'file_not_found'])
    }
    expect((await server.json('DELETE', `/api/files/${id}`)).status).toBe(404)
    const audit = (await server.json('GET', '/api/audit')).body
    expect(JSON.stringify(audit)).toContain('file.deleted')
  })

  it('with an Idempotency-Key is one file; another content under the key is a conflict', async () => {
    const headers = { 'idempotency-key': 'once' }
    const first = await server.upload('a', 'a.txt', headers)
    const again = await server.upload('a', 'a.txt', headers)
    expect(again.body.id).toBe(first.body.id)
    const other = await server.upload('b', 'a.txt', headers)
    expect([other.status, other.body.error.code]).toEqual([409, 'conflict'])
  })
})

describe('a bad upload', () => {
  const codes = async (answer: Promise<{ status: number; body: { error?: { code: string } } }>) => {
    const { status, body } = await answer
    expect(leftovers()).toEqual([])
    return [status, body.error?.code]
  }
  const form = (text: string, type = 'multipart/form-data; boundary=x') =>
    sendForm({ type, body: text.replaceAll('\n', '\r\n') })
  const FILE = '--x\nContent-Disposition: form-data; name="file"; filename="a"\n\nabc\n'

  it('of no bytes, of two files, of no file is refused', async () => {
    expect(await codes(server.upload(''))).toEqual([400, 'bad_request'])
    expect(await codes(sendForm(withFile('a', '')))).toEqual([400, 'bad_request'])
    expect(await codes(form(`${FILE}${FILE}--x--`))).toEqual([400, 'bad_request'])
    expect(await codes(form('--x--\n'))).toEqual([400, 'bad_request'])
    const field = '--x\nContent-Disposition: form-data; name="purpose"\n\nabc\n'
    expect(await codes(form(`${field}--x--`))).toEqual([400, 'bad_request'])
    expect(await codes(form(`${FILE}${field}--x--`))).toEqual([400, 'bad_request'])
  })

  it('whose form is malformed is refused, and leaves nothing', async () => {
    const bad = [
      FILE,
      `${FILE}--x`,
      `${FILE}--xy\n\n--x--`,
      `--x\nContent-Disposition: form-data; name="file"; filename="a"`,
      `--x\nContent-Type: text/plain\n\nabc\n--x--`,
      `--x\nContent-Disposition: form-data; name="file"; filename="a"\nContent-Transfer-Encoding: base64\n\nYQ==\n--x--`,
      `--x\n${'X: y\n'.repeat(3_000)}\nabc\n--x--`,
      `${'--x\nContent-Disposition: form-data; name="n"\n\n'.repeat(2)}--x--`,
      `--x\nContent-Disposition: form-data; name="expires_in_seconds"\n\n${'9'.repeat(2_000)}\n${FILE}--x--`,
      `--x\nContent-Disposition: form-data; name="expires_in_seconds"\n\nsoon\n${FILE}--x--`,
      `--x\nContent-Disposition: form-data; name="other"; filename="a"\n\nabc\n--x--`,
      '',
    ]
    for (const text of bad)
      expect([text.slice(0, 60), ...(await codes(form(text)))]).toEqual([
        text.slice(0, 60),
        400,
        'bad_request',
      ])
    expect(await codes(form(`${FILE}--x--`, 'multipart/form-data'))).toEqual([400, 'bad_request'])
    expect(await codes(form(`${FILE}--x--`, `multipart/form-data; boundary=${'x'.repeat(71)}`))).toEqual([
      400,
      'bad_request',
    ])
    expect((await server.json('GET', '/api/files')).body.files).toEqual([])
  })

  it('is refused for an encoding, and taken for the names of none', async () => {
    const send = (value: string) =>
      form(
        `--x\nContent-Disposition: form-data; name="file"; filename="a"\nContent-Transfer-Encoding:${value}\n\nYQ==\n--x--`,
      )
    for (const value of [' binary', 'binary', '  8bit ', ' 7BIT']) {
      const { status, body } = await send(value)
      expect([value, status]).toEqual([value, 201])
      expect(await (await content(body.id)).text()).toBe('YQ==')
    }
    for (const value of [' base64', ' quoted-printable', '', ' ', ' binary64'])
      expect([value, ...(await codes(send(value)))]).toEqual([value, 400, 'bad_request'])
  })

  it('finds its boundary wherever a chunk ends, and keeps what only looks like one', async () => {
    const body = '\r\n--x\r\n-\r\n--\r\n--y--\r\n\r\n'.repeat(30).replaceAll('--x', '--X')
    const text = `ignored\r\n--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n${body}\r\n--x--\r\nignored`
    for (const size of [1, 2, 3, 7, 64]) {
      const source = Buffer.from(text)
      const chunks = new ReadableStream<Uint8Array>({
        start(controller) {
          for (let at = 0; at < source.length; at += size) controller.enqueue(source.subarray(at, at + size))
          controller.close()
        },
      })
      const init = {
        method: 'POST',
        body: chunks,
        duplex: 'half',
        headers: { 'content-type': 'multipart/form-data; boundary=x' },
      }
      const response = await fetch(`${server.url}/api/files`, init as RequestInit)
      const { id } = (await response.json()) as { readonly id: string }
      expect(await (await content(id)).text()).toBe(body)
    }
  })

  it('is ended at the limits while it streams: 413 for the file, 507 for its owner', async () => {
    expect(await codes(server.upload(randomBytes(3_000_001)))).toEqual([413, 'payload_too_large'])
    expect(await codes(sendForm(withFile('a', randomBytes(3_000_001))))).toEqual([413, 'payload_too_large'])
    await server.upload(randomBytes(2_900_000))
    expect(await codes(server.upload(randomBytes(2_900_000)))).toEqual([507, 'owner_storage_full'])
    // The same bytes need no more room.
    expect((await server.upload(randomBytes(2_000_000))).status).toBe(201)
  })

  it('is not unpacked, and not taken when it is compressed', async () => {
    const headers = { 'content-encoding': 'gzip' }
    expect(await codes(server.upload('abc', 'a', headers))).toEqual([415, 'unsupported_media_type'])
  })

  it('that its client leaves is deleted', async () => {
    const { hostname, port } = new URL(server.url)
    const path = `${new URL(server.url).pathname.replace(/\/$/, '')}/api/files`
    const left = request({ hostname, port, path, method: 'POST', headers: { 'content-length': 1_000_000 } })
    left.on('error', () => {})
    left.write(Buffer.alloc(100_000))
    await expect.poll(() => leftovers().length).toBe(1)
    left.destroy()
    await expect.poll(leftovers).toEqual([])
  })
})

describe('what a file is', () => {
  const typeOf = async (bytes: Uint8Array | string, name?: string) =>
    (await server.upload(bytes, name)).body.media_type

  it('is decided by its content, and by its name among texts alone', async () => {
    expect(await typeOf(pngHeader(10, 10), 'a.html')).toBe('image/png')
    expect(await typeOf('%PDF-1.7\n', 'a.txt')).toBe('application/pdf')
    expect(await typeOf('RIFF\0\0\0\0WAVEfmt ')).toBe('audio/wav')
    expect(await typeOf('ID3\x04', 'song.png')).toBe('audio/mpeg')
    expect(await typeOf('OggS')).toBe('audio/ogg')
    expect(await typeOf('fLaC')).toBe('audio/flac')
    expect(await typeOf('\0\0\0\x20ftypM4A ')).toBe('audio/mp4')
    expect(await typeOf('PK\x03\x04', 'a.csv')).toBe('application/zip')
    expect(await typeOf('a,b\n1,2', 'a.CSV')).toBe('text/csv')
    expect(await typeOf('{}', 'a.json')).toBe('application/json')
    expect(await typeOf('{"cells":[]}', 'a.ipynb')).toBe('application/x-ipynb+json')
    expect(await typeOf('你好', 'a.exe')).toBe('text/plain')
    expect(await typeOf('\0\x01\x02', 'a.txt')).toBe('application/octet-stream')
    expect(await typeOf('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', 'a.png')).toBe(
      'image/svg+xml',
    )
    expect(await typeOf('\n <!DOCTYPE html><script>', 'a.txt')).toBe('text/html')
    expect(await typeOf('<?xml version="1.0"?><a/>', 'a.txt')).toBe('application/xml')
  })

  it('is found in a second for bombs: an enormous image is refused, a locked or endless PDF is noted', async () => {
    const image = await server.upload(pngHeader(60_000, 60_000), 'a.png')
    expect([image.status, image.body.error.code]).toEqual([413, 'payload_too_large'])
    expect((await server.upload(pngHeader(10_000, 10_000))).status).toBe(201)
    expect((await server.upload(pngHeader(0, 10))).body.problem).toContain('size')
    const gap = ' '.repeat(70_000)
    const locked = await server.upload(`%PDF-1.7\n${gap}trailer << /Encrypt 5 0 R >>`)
    expect(locked.body.problem).toContain('locked')
    const kids = '1 0 R '.repeat(400_000)
    const endless = await server.upload(`%PDF-1.7\n<< /Type /Pages /Kids [${kids}] /Count 1000000 >>`)
    expect(endless.body.problem).toContain('pages')
  })

  it('is named without paths, control characters, or marks that turn the text around', async () => {
    const names = {
      '../../etc/passwd': 'passwd',
      'C:\\Users\\a\\b.txt': 'b.txt',
      'a\r\nSet-Cookie: x.txt': 'aSet-Cookie: x.txt',
      'photo\u202Egpj.exe': 'photogpj.exe',
      'a\u0000b\u200Bc\u2066d.txt': 'abcd.txt',
      '..': 'file',
      ' ': 'file',
      '键 "x" é.txt': '键 "x" é.txt',
    }
    for (const [given, expected] of Object.entries(names)) {
      const { body } = await server.upload('text', given)
      expect(body.filename).toBe(expected)
      const disposition = (await content(body.id)).headers.get('content-disposition') ?? ''
      expect(disposition).toMatch(/^attachment; filename="[ -~]*"; filename\*=UTF-8''[!-~]*$/)
      const encoded = disposition.split("''")[1] ?? ''
      expect(decodeURIComponent(encoded)).toBe(expected)
    }
    expect((await sendForm(withFile('../键".txt', 'a'))).body.filename).toBe('键".txt')
    expect((await server.upload('a', `${'n'.repeat(900)}.txt`)).body.filename).toMatch(/^n{196}\.txt$/)
    const disposition = "attachment; filename=plain.txt; filename*=UTF-8''%E9%94%AE.txt"
    const named = await server.upload('a', undefined, { 'content-disposition': disposition })
    expect(named.body.filename).toBe('键.txt')
  })

  it('never runs as a page: downloads, and nothing but safe types in line', async () => {
    const shown = { 'image/png': pngHeader(1, 1), 'application/pdf': '%PDF-1.7', 'text/plain': 'text' }
    const hidden = {
      'image/svg+xml': '<svg onload="alert(1)"/>',
      'text/html': '<html><script>alert(1)</script>',
      'application/xml': '<?xml version="1.0"?><x:script xmlns:x="http://www.w3.org/1999/xhtml"/>',
      'application/octet-stream': '\0<html>',
      'text/csv': 'a,b',
    }
    for (const [type, bytes] of Object.entries({ ...shown, ...hidden })) {
      const { id } = (await server.upload(bytes, type === 'text/csv' ? 'a.csv' : 'a')).body
      const isShown = Object.hasOwn(shown, type)
      for (const query of ['', '?disposition=inline']) {
        const { headers } = await content(id, { query })
        const disposition = isShown && query !== '' ? 'inline' : 'attachment'
        expect([type, headers.get('content-disposition')?.split(';')[0]]).toEqual([type, disposition])
        expect(headers.get('x-content-type-options')).toBe('nosniff')
        expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
        expect(headers.get('content-type')).not.toMatch(/html|svg|xml/)
      }
    }
  })
})

describe('access', () => {
  it('is refused to pages of other origins, which send forms without asking', async () => {
    const headers = { origin: 'https://evil.example', 'content-type': 'text/plain' }
    const { status, body } = await server.upload('a', 'a', headers)
    expect([status, body.error.code]).toEqual([403, 'bad_origin'])
  })

  it('does not exist on a server without a store of files', async () => {
    const { startServer } = await import('../start-server.ts')
    const bare = await startServer()
    expect((await bare.json('GET', '/api/files')).status).toBe(404)
    await bare.close()
  })
})

it.skipIf(DOOR !== 'listen')('takes no memory for the size of a body', async () => {
  const { hostname, port } = new URL(server.url)
  const sent = request({ hostname, port, path: '/api/files', method: 'POST' })
  const status = new Promise<number | string | undefined>(resolve => {
    sent.on('response', response => resolve(response.statusCode))
    sent.on('error', error => resolve(String(error)))
  })
  sent.write(Buffer.alloc(4_000_000))
  expect(await status).toBe(413)
  sent.destroy()
})

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readFrames } from '../read-sse.ts'
import { type Running, startServer } from '../start-server.ts'

let running: Running
beforeEach(async () => {
  running = await startServer({ workspaceRoots: ['/workspace'], bodyLimit: 10_000 })
})
afterEach(async () => {
  await running.close()
})

describe('POST /api/sessions', () => {
  it('needs neither body nor content type', async () => {
    const { status, body } = await running.json('POST', '/api/sessions')
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      claude_session_id: null,
      workspace_path: '/workspace',
      created_at: expect.stringMatching(/^\d{4}-.+Z$/),
      updated_at: expect.any(String),
      conversation_count: 0,
      title: null,
      model: 'demo',
      status: 'idle',
      is_waiting_for_tool: false,
      pending: [],
      thread_id: expect.any(Number),
    })
  })

  it('takes an empty JSON body and every optional field', async () => {
    expect((await running.json('POST', '/api/sessions', '')).status).toBe(201)
    const { body } = await running.json('POST', '/api/sessions', {
      title: 't',
      model: 'm',
      workspace: 'sub',
      unknown: 1,
    })
    expect(body).toMatchObject({ title: 't', model: 'm', workspace_path: '/workspace/sub' })
  })

  it('keeps workspaces inside of the allowed folders', async () => {
    for (const workspace of ['/etc', '../x', '/workspace/../etc', '/workspaces'])
      expect((await running.json('POST', '/api/sessions', { workspace })).status).toBe(403)
  })

  it('makes one session per idempotency key', async () => {
    const key = { 'idempotency-key': 'abc' }
    const first = await running.json('POST', '/api/sessions', undefined, key)
    const second = await running.json('POST', '/api/sessions', undefined, key)
    expect(second.body.id).toBe(first.body.id)
    expect((await running.json('GET', '/api/sessions')).body.sessions).toHaveLength(1)
  })
})

describe('sessions', () => {
  it('are listed newest first, page by page, and searched by text and status', async () => {
    const made: string[] = []
    for (let i = 0; i < 5; i++) made.push(await running.newSession())
    await readFrames(await running.chat({ session_id: made[2] ?? '', message: 'find the needle' }))
    await running.settled()
    const seen: string[] = []
    let cursor = ''
    do {
      const { body } = await running.json('GET', `/api/sessions?limit=2${cursor}`)
      seen.push(...body.sessions.map((s: { id: string }) => s.id))
      cursor = body.next_cursor === null ? '' : `&cursor=${encodeURIComponent(body.next_cursor)}`
    } while (cursor !== '')
    expect(seen).toHaveLength(5)
    expect(new Set(seen)).toEqual(new Set(made))
    expect(seen[0]).toBe(made[2])
    const found = (await running.json('GET', '/api/sessions?text=needle')).body.sessions
    expect(found).toMatchObject([
      { id: made[2], title: 'find the needle', conversation_count: 1, status: 'idle' },
    ])
    expect((await running.json('GET', '/api/sessions?status=paused')).body.sessions).toEqual([])
  })

  it('are found by what models said, on every wire, in forks and in imported history', async () => {
    const session_id = await running.newSession()
    await readFrames(await running.chat({ session_id, message: 'long 3' }))
    await running.settled()
    const fork = (await running.json('POST', `/api/sessions/${session_id}/fork`, {})).body.id
    const history = [
      { role: 'user', content: 'which bird' },
      { role: 'assistant', content: 'a cormorant' },
      { role: 'user', content: 'echo thanks' },
    ]
    const imported = await running.json('POST', '/v1/chat/completions', { model: 'demo', messages: history })
    const found = async (text: string) =>
      (await running.json('GET', `/api/sessions?text=${encodeURIComponent(text)}`)).body.sessions
        .map(({ id }: { id: string }) => id)
        .sort()
    expect(await found('你好')).toEqual([session_id, fork].sort())
    const asked = [imported.headers.get('x-session-id')]
    for (const text of ['cormorant', 'bird', 'thanks']) expect(await found(text)).toEqual(asked)
  })

  it('shows the same session in a list and alone', async () => {
    const session_id = await running.newSession()
    for (const message of ['echo hi', 'fail', 'client']) {
      await readFrames(await running.chat({ session_id, message }))
      await running.settled()
      const { body } = await running.json('GET', '/api/sessions')
      expect(body.sessions).toEqual([(await running.json('GET', `/api/sessions/${session_id}`)).body])
    }
  })

  it('are renamed, and refuse what they cannot be', async () => {
    const id = await running.newSession()
    const { body } = await running.json('PATCH', `/api/sessions/${id}`, { title: 'new' })
    expect(body.title).toBe('new')
    expect((await running.json('PATCH', `/api/sessions/${id}`, {})).status).toBe(400)
    expect((await running.json('PATCH', `/api/sessions/${id}`, { permission_mode: 'root' })).status).toBe(400)
  })

  it('are gone once deleted: 410 for those that were, 404 for those that never were', async () => {
    const id = await running.newSession()
    expect((await running.json('DELETE', `/api/sessions/${id}`)).status).toBe(204)
    for (const path of ['', '/events', '/messages', '/export'])
      expect((await running.json('GET', `/api/sessions/${id}${path}`)).status).toBe(410)
    expect((await running.json('DELETE', `/api/sessions/${id}`)).status).toBe(410)
    expect((await running.json('GET', '/api/sessions/never')).body.error.code).toBe('session_not_found')
  })
})

describe('refusals', () => {
  const post = (body: BodyInit, type: string | undefined) =>
    fetch(`${running.url}/api/sessions`, {
      method: 'POST',
      body,
      headers: type ? { 'content-type': type } : {},
    })
  const code = async (response: Response) => [response.status, (await response.json()).error.code]

  it('distinguish broken JSON, broken UTF-8, wrong types, sizes and media types', async () => {
    const json = 'application/json'
    expect(await code(await post('{"a":', json))).toEqual([400, 'invalid_json'])
    expect(await code(await post(new Uint8Array([0x22, 0xff, 0x22]), json))).toEqual([400, 'invalid_utf8'])
    expect(await code(await post('{"title":5}', json))).toEqual([400, 'bad_request'])
    expect(await code(await post('[]', json))).toEqual([400, 'bad_request'])
    expect(await code(await post('['.repeat(5000), json))).toEqual([400, 'bad_request'])
    expect(await code(await post(`"${'x'.repeat(20_000)}"`, json))).toEqual([413, 'payload_too_large'])
    expect(await code(await post('{}', 'text/plain'))).toEqual([415, 'unsupported_media_type'])
    expect(await code(await post('a=b', 'application/x-www-form-urlencoded'))).toEqual([
      415,
      'unsupported_media_type',
    ])
    expect(await code(await post('{}', 'application/json; charset=latin1'))).toEqual([
      415,
      'unsupported_media_type',
    ])
    expect((await post('{}', 'application/json; charset=UTF-8')).status).toBe(201)
    expect((await post('{"title":"[[[\\\\\\"{{{"}', json)).status).toBe(201)
  })

  it('name the wrong field', async () => {
    const { body } = await running.json('POST', '/api/sessions', { title: 5 })
    expect(body.error.message).toMatch(/^title: /)
  })

  it('know unknown routes from wrong methods', async () => {
    expect((await running.json('GET', '/nope')).body.error.code).toBe('not_found')
    const wrong = await running.json('PUT', '/api/sessions/x')
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'DELETE, GET, HEAD, PATCH'])
    expect((await running.json('GET', '/api/approvals/x')).headers.get('allow')).toBe('POST')
    expect((await running.json('GET', '/api/sessions/%ZZ')).status).toBe(400)
  })

  it('carry the request id of the caller, or a new one when it is not fit to print', async () => {
    const kept = await running.json('GET', '/nope', undefined, { 'x-request-id': 'abc-1' })
    expect([kept.body.error.request_id, kept.headers.get('x-request-id')]).toEqual(['abc-1', 'abc-1'])
    const replaced = await running.json('GET', '/nope', undefined, { 'x-request-id': '<script>' })
    expect(replaced.body.error.request_id).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('never show a stack: a bug is reported as internal and logged', async () => {
    running.store.stats = () => Promise.reject(new Error('secret detail'))
    running.server.context.store.list = () => Promise.reject(new Error('secret detail'))
    const { status, body } = await running.json('GET', '/api/sessions')
    expect([status, body.error.code]).toEqual([500, 'internal'])
    expect(JSON.stringify(body)).not.toContain('secret')
    expect(running.logged.join('\n')).toContain('secret detail')
  })
})

describe('HEAD', () => {
  it('answers like GET without a body, and never opens a stream', async () => {
    const id = await running.newSession()
    for (const path of [
      '/health',
      '/api/sessions',
      `/api/sessions/${id}`,
      `/api/sessions/${id}/events`,
      '/api/chat/stream',
    ]) {
      const response = await fetch(running.url + path, { method: 'HEAD' })
      expect([path, response.status, await response.text()]).toEqual([path, 200, ''])
    }
    expect(running.server.context.streams.size()).toBe(0)
  })
})

describe('operations', () => {
  it('report health, readiness and tools', async () => {
    expect((await running.json('GET', '/health')).body.status).toBe('ok')
    expect((await running.json('GET', '/healthz')).body.status).toBe('ok')
    expect((await running.json('GET', '/readyz')).body.status).toBe('ready')
    expect((await running.json('GET', '/api/tools')).body).toEqual({ tools: [] })
  })
})

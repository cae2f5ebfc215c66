import { describe, expect, it } from 'vitest'
import { createClient, ToolwireError } from '../src/index.ts'
import { type Answer, broken, fakeFetch, json, refuse, status } from './fake-fetch.ts'

const clientOf = (fetch: typeof globalThis.fetch, more = {}) =>
  createClient({ baseUrl: 'http://test/', fetch, backoff: { baseMs: 1, maxMs: 2 }, ...more })
const sent: Answer = () => new Response('data: {}\n\n', { headers: { 'x-run-id': 'r1' } })

describe('send', () => {
  it('posts a message once, whether there is an answer or not', async () => {
    for (const answer of [broken, refuse('busy', 503, true)]) {
      const { fetch, seen } = fakeFetch(answer)
      const error = await clientOf(fetch)
        .send('s', 'hello')
        .catch((e: unknown) => e)
      expect(error).toMatchObject({ retryable: true })
      expect(seen).toHaveLength(1)
    }
  })

  it('repeats with the same key when that is wished for, and makes a new key for every message', async () => {
    const { fetch, seen } = fakeFetch(broken, refuse('busy', 503, true), sent)
    const client = clientOf(fetch)
    const first = await client.send('s', 'hello', { model: 'demo', retries: 2 })
    expect(first.run_id).toBe('r1')
    expect(seen.map(request => request.headers.get('idempotency-key'))).toEqual(
      Array(3).fill(first.idempotency_key),
    )
    expect(seen[0]).toMatchObject({
      method: 'POST',
      body: { session_id: 's', message: 'hello', model: 'demo' },
    })
    expect(seen[0]?.body).not.toHaveProperty('retries')
    expect((await client.send('s', 'hello')).idempotency_key).not.toBe(first.idempotency_key)
  })

  it('uses a given key', async () => {
    const { fetch, seen } = fakeFetch(sent)
    await clientOf(fetch).send('s', 'x', { idempotencyKey: 'k' })
    expect(seen[0]?.headers.get('idempotency-key')).toBe('k')
  })

  it('does not repeat what the server refused', async () => {
    const { fetch, seen } = fakeFetch(refuse('session_not_found', 404))
    await expect(clientOf(fetch).send('s', 'x')).rejects.toMatchObject({
      code: 'session_not_found',
      status: 404,
    })
    expect(seen).toHaveLength(1)
  })

  it('does not repeat what the server calls final, whatever the status', async () => {
    const { fetch, seen } = fakeFetch(refuse('owner_storage_full', 507))
    await expect(clientOf(fetch).send('s', 'x', { retries: 5 })).rejects.toMatchObject({
      code: 'owner_storage_full',
    })
    expect(seen).toHaveLength(1)
  })

  it('gives up after its repetitions', async () => {
    const { fetch, seen } = fakeFetch(broken)
    const error = await clientOf(fetch)
      .send('s', 'x', { retries: 2 })
      .catch((e: unknown) => e)
    expect(error).toBeInstanceOf(ToolwireError)
    expect(error).toMatchObject({ code: 'network', status: 0, retryable: true })
    expect(seen).toHaveLength(3)
  })
})

describe('requests', () => {
  it('sends a POST that has no key only once', async () => {
    for (const act of ['cancel', 'fork'] as const) {
      const { fetch, seen } = fakeFetch(broken)
      await expect(clientOf(fetch).sessions[act]('s')).rejects.toMatchObject({ code: 'network' })
      expect(seen).toHaveLength(1)
      expect(seen[0]?.headers.has('idempotency-key')).toBe(false)
    }
  })

  it('speaks every route', async () => {
    const { fetch, seen } = fakeFetch(
      json({ sessions: [], next_cursor: null, messages: [], pending: [], tools: [], cancelled: true }),
    )
    const { sessions, approve, deny, answer, pending, tools } = clientOf(fetch, { apiKey: 'secret-key' })
    await sessions.create({ title: 't' })
    await sessions.list({ text: 'a b', status: 'paused', limit: 5 })
    await sessions.get('s/1')
    await sessions.rename('s', 'new')
    await sessions.update('s', { model: 'm' })
    await sessions.delete('s')
    await sessions.fork('s', { at: 7 })
    await sessions.cancel('s', 'stop')
    await sessions.export('s')
    await sessions.messages('s')
    await sessions.toolOutputs('s', [
      { call_id: 'c', output: { a: 1 } },
      { call_id: 'd', output: 'x', is_error: true },
    ])
    await sessions.messages('s', 'b1')
    await sessions.regenerate('s', { effects: 'ask' })
    await sessions.edit('s', 'm/1', 'again', { interrupt: true })
    await sessions.branches('s')
    await sessions.selectBranch('s', 'b1')
    await pending(3)
    await pending(undefined, 'short')
    await approve('apr_s.1', { rule: 'Bash(ls)', input: { command: 'pwd' } })
    await deny('apr_s.1', 'no')
    await answer('apr_s.1', '42')
    await tools()
    expect(seen.map(({ method, url, body }) => [method, url.pathname + url.search, body])).toEqual([
      ['POST', '/api/sessions', { title: 't' }],
      ['GET', '/api/sessions?text=a+b&status=paused&limit=5', undefined],
      ['GET', '/api/sessions/s%2F1', undefined],
      ['PATCH', '/api/sessions/s', { title: 'new' }],
      ['PATCH', '/api/sessions/s', { model: 'm' }],
      ['DELETE', '/api/sessions/s', undefined],
      ['POST', '/api/sessions/s/fork', { at: 7 }],
      ['POST', '/api/sessions/s/cancel', { reason: 'stop' }],
      ['GET', '/api/sessions/s/export', undefined],
      ['GET', '/api/sessions/s/messages', undefined],
      [
        'POST',
        '/api/sessions/s/tool_outputs',
        {
          tool_outputs: [
            { call_id: 'c', output: '{"a":1}' },
            { call_id: 'd', output: 'x', is_error: true },
          ],
        },
      ],
      ['GET', '/api/sessions/s/messages?branch=b1', undefined],
      ['POST', '/api/sessions/s/regenerate', { effects: 'ask' }],
      ['POST', '/api/sessions/s/messages/m%2F1/edit', { content: 'again', interrupt: true }],
      ['GET', '/api/sessions/s/branches', undefined],
      ['POST', '/api/sessions/s/branches/b1/select', undefined],
      ['GET', '/api/pending?limit=3', undefined],
      ['GET', '/api/pending?inputs=short', undefined],
      [
        'POST',
        '/api/approvals/apr_s.1',
        { decision: 'approved', rule: 'Bash(ls)', input: { command: 'pwd' } },
      ],
      ['POST', '/api/approvals/apr_s.1', { decision: 'denied', reason: 'no' }],
      ['POST', '/api/approvals/apr_s.1', { decision: 'approved', answer: '42' }],
      ['GET', '/api/tools', undefined],
    ])
    for (const { headers } of seen) expect(headers.get('authorization')).toBe('Bearer secret-key')
  })

  it('treats an already deleted session as deleted', async () => {
    const { fetch, seen } = fakeFetch(broken, refuse('session_deleted', 410))
    await clientOf(fetch).sessions.delete('s')
    expect(seen).toHaveLength(2)
  })

  it('makes a typed error of a page that is not ours', async () => {
    const { fetch } = fakeFetch(() => new Response('<html>', { status: 418 }))
    await expect(clientOf(fetch).sessions.get('s')).rejects.toMatchObject({
      code: 'bad_response',
      status: 418,
    })
  })

  it('aborts on request', async () => {
    const controller = new AbortController()
    const { fetch } = fakeFetch((_, signal) => {
      controller.abort()
      return Promise.reject(signal?.reason)
    }, status(200))
    await expect(clientOf(fetch).send('s', 'x', { signal: controller.signal })).rejects.toMatchObject({
      code: 'aborted',
    })
  })
})

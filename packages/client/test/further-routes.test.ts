import { describe, expect, it } from 'vitest'
import { createClient } from '../src/index.ts'
import { fakeFetch, status } from './fake-fetch.ts'

describe('what else the client can ask', () => {
  const asked = (answer = status(204)) => {
    const fake = fakeFetch(answer)
    return { ...fake, client: createClient({ fetch: fake.fetch }) }
  }

  it('stops one call by its id, with a key so that it can be repeated', async () => {
    const { client: one, seen: requests } = asked(() => new Response('{"cancelled":true}'))
    expect(await one.sessions.cancelCall('s 1', 'toolu/1', 'wrong file')).toBe(true)
    const [request] = requests
    expect([request?.method, request?.url.pathname]).toEqual([
      'POST',
      '/api/sessions/s%201/calls/toolu%2F1/cancel',
    ])
    expect(request?.body).toEqual({ reason: 'wrong file' })
    expect(request?.headers.get('idempotency-key')).toBeTruthy()
  })

  it('lists, changes, withdraws and resumes messages that wait', async () => {
    const item = { message_id: 'm/1', position: 1 }
    const answers: Readonly<Record<string, unknown>> = {
      GET: { queue_held: true, messages: [item] },
      PATCH: { message: item },
      POST: { resumed: ['m/1'] },
    }
    const seen: string[] = []
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const method = init?.method ?? 'GET'
      seen.push(`${method} ${String(input)} ${init?.body ?? ''}`.trim())
      return method === 'DELETE' ? new Response(null, { status: 204 }) : Response.json(answers[method])
    }
    const { sessions } = createClient({ baseUrl: 'http://h', fetch })
    expect(await sessions.queue('s1')).toEqual(answers['GET'])
    expect(await sessions.changeQueued('s1', 'm/1', { when_running: 'steer', if_revision: 0 })).toEqual(item)
    await sessions.withdraw('s1', 'm/1')
    expect(await sessions.resumeQueue('s1')).toEqual(['m/1'])
    expect(seen).toEqual([
      'GET http://h/api/sessions/s1/queue',
      'PATCH http://h/api/sessions/s1/queue/m%2F1 {"when_running":"steer","if_revision":0}',
      'DELETE http://h/api/sessions/s1/queue/m%2F1',
      'POST http://h/api/sessions/s1/queue/resume',
    ])
  })

  it('reads what became of a message from the headers', async () => {
    const headers = { 'x-run-id': 'r', 'x-message-id': 'm', 'x-delivery': 'queued', 'x-queue-position': '2' }
    const { client: one, seen: requests } = asked(() => new Response('', { headers }))
    const sent = await one.send('s1', 'hi', { when_running: 'steer', idempotencyKey: 'k' })
    expect(requests[0]?.body).toMatchObject({ when_running: 'steer' })
    expect(sent).toEqual({
      idempotency_key: 'k',
      run_id: 'r',
      message_id: 'm',
      delivery: 'queued',
      position: 2,
    })
  })

  it('lists rules and grants, and takes one back', async () => {
    const permissions = { mode: 'default', workspace: '/w', rules: [], grants: [] }
    const listed = asked(() => new Response(JSON.stringify(permissions)))
    expect(await listed.client.permissions.list('s1')).toEqual(permissions)
    expect(listed.seen[0]?.url.pathname).toBe('/api/permissions')
    expect(listed.seen[0]?.url.search).toBe('?session_id=s1')
    const revoked = asked()
    await revoked.client.permissions.revoke('grant/1')
    expect([revoked.seen[0]?.method, revoked.seen[0]?.url.pathname]).toEqual([
      'DELETE',
      '/api/permissions/grant%2F1',
    ])
  })
})

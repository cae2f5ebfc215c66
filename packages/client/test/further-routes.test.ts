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

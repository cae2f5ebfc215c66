/** A run token of a caller whom the application has signed in. */
import { createMemoryRecords } from '@toolwire/store'
import { afterEach, expect, it } from 'vitest'
import { toUser } from '../../src/access/authenticate.ts'
import { readUserCredential, toUserCredential } from '../../src/access/user-credential.ts'
import { type Running, startServer } from '../start-server.ts'

let server: Running | undefined
afterEach(() => server?.close())

async function prepare() {
  const running = await startServer(
    {},
    {
      records: createMemoryRecords(),
      authenticate: request => (request.headers.has('x-user') ? { owner: 'alice' } : null),
    },
  )
  server = running
  const prepared = await running.json('POST', '/v4/prepare', { input: 'hello' }, { 'x-user': 'alice' })
  expect(prepared.status).toBe(200)
  return { running, token: prepared.body.run_token }
}

it('reads the answer as that caller, without another sign-in', async () => {
  const { running, token } = await prepare()
  const answer = await fetch(`${running.url}/v4/response/${token}`)
  expect(answer.status).toBe(200)
  expect(await answer.text()).toContain('conversation.completed')
  const listed = await running.json('GET', '/api/sessions', undefined, { 'x-user': 'alice' })
  expect(listed.body.sessions).toHaveLength(1)
})

it('ends when the sign-in has expired', () => {
  const credential = toUserCredential(toUser('alice'), 1_000)
  expect(readUserCredential(credential, new Date(999))).toMatchObject({
    owner: 'alice',
    key_id: 'user:alice',
  })
  expect(readUserCredential(credential, new Date(1_000))).toBeUndefined()
  expect(readUserCredential('user.e30', new Date(0))).toBeUndefined()
  expect(readUserCredential('user.%', new Date(0))).toBeUndefined()
})

/** Explanations are given for the caller's folders, and read no others. */
import { afterEach, expect, it } from 'vitest'
import type { ExplainRequest, RehearseRequest } from '../../src/ports.ts'
import { type KeyServer, startKeyServer } from './key-server.ts'

let server: KeyServer
afterEach(() => server.close())

async function start() {
  const seen: { cwd: string | undefined; within: readonly string[] | undefined }[] = []
  const note = ({ session, within }: Pick<ExplainRequest, 'session' | 'within'>) => {
    seen.push({ cwd: session.created?.cwd, within })
    return {}
  }
  server = await startKeyServer({
    explainPermission: async request => note(request),
    permissions: {
      list: async () => [],
      rehearse: async (request: RehearseRequest) => note(request),
    } as never,
  })
  return seen
}

it.each([
  ['a key with a folder', { workspace: '/srv/alpha' }, '/srv/alpha', ['/srv/alpha']],
  ['a key without one', {}, '/workspace', ['/workspace']],
  ['a key that may do everything', { scopes: ['admin' as const] }, '/workspace', undefined],
  ['such a key with a folder', { scopes: ['admin' as const], workspace: '/srv/a' }, '/srv/a', ['/srv/a']],
])('%s is answered for its own folder', async (_, wanted, cwd, within) => {
  const seen = await start()
  const key = await server.newKey(wanted)
  for (const body of [{ tool: 'Read', input: { file_path: '/etc/passwd' } }, { rule: 'Read(/etc/**)' }])
    expect((await server.as(key, 'POST', '/api/permissions/explain', body)).status).toBe(200)
  expect(seen).toEqual([
    { cwd, within },
    { cwd, within },
  ])
  const listed = await server.as(key, 'GET', '/api/permissions')
  expect(listed.body.workspace).toBe(cwd)
})

it('a key is not shown folders of another key of its owner by naming a session', async () => {
  const seen = await start()
  const [wide, narrow] = [
    await server.newKey({ workspace: '/srv/one' }),
    await server.newKey({ workspace: '/srv/two' }),
  ]
  const session_id = (await server.as(wide, 'POST', '/api/sessions', {})).body.id
  await server.as(narrow, 'POST', '/api/permissions/explain', { tool: 'Read', input: {}, session_id })
  expect(seen).toEqual([{ cwd: '/srv/one', within: ['/srv/two'] }])
})

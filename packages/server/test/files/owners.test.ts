/** Files of one owner do not exist for another one, not even by their content. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFolderFiles } from '@toolwire/store'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { idFromKey } from '../../src/sessions/id-from-key.ts'
import { type KeyServer, startKeyServer } from '../access/key-server.ts'

const folder = mkdtempSync(join(tmpdir(), 'toolwire-files-'))
const files = openFolderFiles({ dir: join(folder, 'files') })
let server: KeyServer
beforeAll(async () => {
  server = await startKeyServer({}, { files })
})
afterAll(async () => {
  await server.close()
  await files.close()
  rmSync(folder, { recursive: true, force: true })
})

async function upload(
  key: string,
  content: string,
): Promise<Record<string, unknown> & { readonly id: string }> {
  const headers = { authorization: `Bearer ${key}`, 'idempotency-key': 'same' }
  const response = await fetch(`${server.url}/api/files`, { method: 'POST', headers, body: content })
  expect(response.status).toBe(201)
  return (await response.json()) as Record<string, unknown> & { readonly id: string }
}

it('answers a foreign id like one that never was, and the same bytes like new ones', async () => {
  const [alpha, beta] = [await server.newKey({ owner: 'alpha' }), await server.newKey({ owner: 'beta' })]
  const mine = await upload(alpha, 'secret')
  const unknown = 'file_00000000000000000000000000000000'
  for (const [method, rest] of [
    ['GET', ''],
    ['GET', '/content'],
    ['DELETE', ''],
    ['DELETE', '?force=true'],
  ] as const) {
    const [foreign, none] = await Promise.all(
      [mine.id, unknown].map(async id => {
        const { status, body } = await server.as(beta, method, `/api/files/${id}${rest}`)
        const { request_id: _, ...error } = body.error
        return { status, error }
      }),
    )
    expect(foreign).toEqual(none)
    expect(foreign).toMatchObject({ status: 404, error: { code: 'file_not_found' } })
  }
  const theirs = await upload(beta, 'secret')
  expect(theirs.id).not.toBe(mine.id)
  expect((await server.as(beta, 'GET', '/api/files')).body.files.map(({ id }: typeof mine) => id)).toEqual([
    theirs.id,
  ])
  expect((await server.as(beta, 'DELETE', `/api/files/${theirs.id}`)).status).toBe(200)
  expect((await server.as(alpha, 'GET', `/api/files/${mine.id}`)).body).toMatchObject({ id: mine.id })
})

it('asks for the scopes read and write', async () => {
  const reader = await server.newKey({ scopes: ['read'] })
  const writer = await server.newKey({ scopes: ['write'] })
  expect((await server.as(reader, 'GET', '/api/files')).status).toBe(200)
  expect((await server.as(writer, 'GET', '/api/files')).status).toBe(403)
  for (const [method, path] of [
    ['POST', '/api/files'],
    ['DELETE', '/api/files/file_1'],
  ] as const)
    expect((await server.as(reader, method, path)).status).toBe(403)
  const none = await fetch(`${server.url}/api/files`, { method: 'POST', body: 'x' })
  expect(none.status).toBe(401)
})

it('gives tokens for some sessions separate ids, which only the response names', async () => {
  const maker = await server.newKey({ owner: 'shared', scopes: ['read', 'write', 'tokens'] })
  const token = async (sessions: readonly string[] | 'new'): Promise<string> =>
    (await server.as(maker, 'POST', '/api/tokens', { owner: 'shared', sessions })).body.token
  const [one, two] = [await token(['one']), await token(['two'])]
  const callers = [maker, one, two, await token('new'), await token('new')]
  const ids: string[] = []
  for (const caller of callers) ids.push((await upload(caller, 'page')).id)
  expect(new Set(ids).size).toBe(callers.length)
  // A token that is renewed repeats a request as the one before.
  expect((await upload(await token(['one']), 'page')).id).toBe(ids[1])
  const guess = `file_${idFromKey('file', 'shared', 'same').replaceAll('-', '')}`
  expect((await server.as(two, 'GET', `/api/files/${guess}`)).status).toBe(404)
})

/** The server for users' own tests, as they use it. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@toolwire/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer } from '../src/testing.ts'

/** The folder for temporary files is this file's own, so that it can be seen what is left there. */
const folder = mkdtempSync(join(tmpdir(), 'toolwire-testing-'))
const before = { TMPDIR: process.env['TMPDIR'], TOOLWIRE_MODEL: process.env['TOOLWIRE_MODEL'] }
beforeAll(() => {
  Object.assign(process.env, { TMPDIR: folder, TOOLWIRE_MODEL: 'no-such-model' })
})
afterAll(() => {
  for (const [name, value] of Object.entries(before))
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  rmSync(folder, { recursive: true, force: true })
})
const left = () => readdirSync(folder).filter(name => name.startsWith('toolwire-test-'))

test('two servers at once answer with the demo model, know nothing of each other, and leave nothing behind', async () => {
  const servers = await Promise.all([startTestServer(), startTestServer()])
  const clients = servers.map(({ url }) => createClient({ baseUrl: url }))
  try {
    const told = await Promise.all(
      clients.map(async (client, n) => {
        const { id } = await client.sessions.create({ title: `of ${n}` })
        const live = client.session(id)
        const stop = live.subscribe(() => {})
        await live.send('list the files')
        await expect
          .poll(() => live.getSnapshot().view.turns[0]?.state, { timeout: 60_000 })
          .toBe('completed')
        stop()
        const { calls } = live.getSnapshot().view
        const { sessions } = await client.sessions.list()
        return {
          titles: sessions.map(item => item.title),
          calls: [...calls.values()].map(call => call.state),
        }
      }),
    )
    expect(told).toEqual([0, 1].map(n => ({ titles: [`of ${n}`], calls: ['success'] })))
    expect(left()).toHaveLength(2)
  } finally {
    for (const client of clients) client.close()
    await Promise.all(servers.map(server => server.close()))
  }
  expect(left()).toEqual([])
  await expect(fetch(servers[0].url)).rejects.toThrow()
})

test('it may be closed twice, and closes itself where its block ends', async () => {
  const server = await startTestServer()
  const closing = server.close()
  expect(server.close()).toBe(closing)
  await closing
  await server.close()
  let url = ''
  {
    await using another = await startTestServer({ apiKeys: ['secret-of-the-test'] })
    url = another.url
    expect((await fetch(`${url}/api/sessions`)).status).toBe(401)
    const authorization = 'Bearer secret-of-the-test'
    expect((await fetch(`${url}/api/sessions`, { headers: { authorization } })).status).toBe(200)
  }
  await expect(fetch(url)).rejects.toThrow()
  expect(left()).toEqual([])
})

test('an option that cannot work is refused in a sentence, and nothing is left', async () => {
  await expect(startTestServer({ workspace: join(folder, 'not-there') })).rejects.toThrow('is not a folder')
  await expect(startTestServer({ paceMs: -1 })).rejects.toThrow('demoPaceMs must not be negative')
  await expect(startTestServer({ model: 'no-such-model' })).rejects.toThrow('no-such-model')
  expect(left()).toEqual([])
})

test('neither variables nor a configuration file of the folder around it are read', async () => {
  const around = process.cwd()
  const own = mkdtempSync(join(folder, 'own-'))
  writeFileSync(join(own, 'toolwire.config.json'), '{"apiKeys":["from-the-file"]}')
  process.chdir(own)
  try {
    await using server = await startTestServer({ permissionMode: 'plan' })
    const answer = await fetch(`${server.url}/api/sessions`, { method: 'POST' })
    expect(answer.status).toBe(201)
    const { id, model } = (await answer.json()) as { readonly id: string; readonly model: string }
    expect(model).toBe('demo')
    const log = await (await fetch(`${server.url}/api/sessions/${id}/export`)).text()
    expect(log).toContain('"permission_mode":"plan"')
  } finally {
    process.chdir(around)
  }
})

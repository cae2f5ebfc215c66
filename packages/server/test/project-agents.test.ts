/** Sessions that begin as an agent in a file of their folder. */
import { createMemoryRecords } from '@toolwire/store'
import { afterEach, expect, test } from 'vitest'
import type { ProjectAgentPort } from '../src/index.ts'
import { startServer } from './start-server.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const FILE = { sha256: 'f'.repeat(64), description: 'Reviews', system: 'Be strict.', max_turns: 7 }

async function open(
  find: ProjectAgentPort['find'] = async (_, __, name) => (name === 'reviewer' ? FILE : undefined),
) {
  const running = await startServer({ projectAgents: { find } }, { records: createMemoryRecords() })
  closing.push(running.close)
  const create = (agent: unknown, more: object = {}) =>
    running.json('POST', '/api/sessions', { agent, ...more })
  async function createdOf(session: string) {
    const [first] = await running.store.read(session, 0, 1)
    if (first?.ev.type !== 'session.created') throw new Error('no session')
    return first.ev
  }
  return { ...running, create, createdOf }
}

test('holds the words of the file behind those of the server, its limits and its hash', async () => {
  const { create, createdOf } = await open()
  const { status, body } = await create('project:reviewer')
  expect(status).toBe(201)
  expect(await createdOf(body.id)).toMatchObject({
    append_system: 'Be strict.',
    agent: {
      id: 'project:reviewer',
      name: 'reviewer',
      sha256: FILE.sha256,
      resolved: { append_system: 'Be strict.', limits: { max_turns: 7 } },
    },
  })
})

test('fields of the request and overrides come first', async () => {
  const { create, createdOf } = await open()
  const changed = await create({ id: 'project:reviewer', overrides: { limits: null } })
  expect((await createdOf(changed.body.id)).agent?.resolved).not.toHaveProperty('limits')
  const mine = await create('project:reviewer', { append_system: 'Mine.' })
  expect((await createdOf(mine.body.id)).append_system).toBe('Mine.')
})

test('a file that is not there or not trusted, and a number of a version, are rejected', async () => {
  const { create } = await open()
  expect((await create('project:other')).status).toBe(404)
  expect((await create('project:')).status).toBe(404)
  expect((await create('project:../../etc/passwd')).status).toBe(404)
  expect((await create({ id: 'project:reviewer', version: 1 })).status).toBe(400)
})

test('a file cannot name a tool that is not there', async () => {
  const { create } = await open(async () => ({ ...FILE, tools: ['NoSuchTool'] }))
  expect((await create('project:reviewer')).status).toBe(400)
})

test('is looked for in the folder of the session alone', async () => {
  const folders: string[] = []
  const { create } = await open(async cwd => {
    folders.push(cwd)
    return FILE
  })
  await create('project:reviewer', { workspace: '/srv/other' })
  expect(folders).toEqual(['/srv/other'])
})

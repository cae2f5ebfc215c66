/** The list of skills over HTTP. */
import { createMemoryRecords } from '@toolwire/store'
import { afterEach, expect, test } from 'vitest'
import type { SkillPort } from '../src/ports/skill-port.ts'
import { startServer } from './start-server.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const skill = (name: string) => ({
  name,
  description: 'x',
  source: 'project' as const,
  path: `/srv/${name}`,
  sha256: '0',
  allowed_tools: ['Read'],
  for_models: true,
  for_users: true,
  warnings: [],
})

async function open(skills?: SkillPort) {
  const records = createMemoryRecords()
  const running = await startServer(skills ? { skills } : {}, { records })
  closing.push(running.close)
  return { ...running, records }
}

test('is paged, and names what is not trusted', async () => {
  const { json } = await open({
    list: async () => ({ skills: ['a', 'b', 'c'].map(skill), skipped: ['/srv/x'], warnings: ['odd'] }),
  })
  const first = await json('GET', '/api/skills?limit=2')
  expect(first.body).toEqual({
    skills: [skill('a'), skill('b')],
    skipped: ['/srv/x'],
    warnings: ['odd'],
    next_cursor: '2',
  })
  const last = await json('GET', '/api/skills?limit=2&cursor=2')
  expect(last.body).toMatchObject({ skills: [{ name: 'c' }], next_cursor: null })
})

test('reads with the folders that the owner trusts', async () => {
  const asked: unknown[] = []
  const { json, records } = await open({
    async list(_, trusted) {
      asked.push(trusted)
      return { skills: [], skipped: [], warnings: [] }
    },
  })
  const folder = { path: '/srv/p', files: { '/srv/p/a': '1' }, trusted_at: '', by: 'operator' }
  await records.update('owner_prompt', 'default', () => ({ trusted: [folder] }))
  await json('GET', '/api/skills')
  expect(asked).toEqual([[folder]])
})

test('refuses bad queries, and does not exist without skills', async () => {
  const { json } = await open({ list: async () => ({ skills: [], skipped: [], warnings: [] }) })
  for (const query of ['limit=0', 'limit=501', 'cursor=x', 'workspace=', 'workspace=%00'])
    expect([query, (await json('GET', `/api/skills?${query}`)).status]).toEqual([query, 400])
  const without = await open()
  expect((await without.json('GET', '/api/skills')).status).toBe(404)
})

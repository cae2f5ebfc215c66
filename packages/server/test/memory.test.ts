import { afterEach, expect, test } from 'vitest'
import type { MemoryPort } from '../src/ports/memory-port.ts'
import { type Running, startServer } from './start-server.ts'

let running: Running | undefined
afterEach(async () => {
  await running?.close()
  running = undefined
})

async function open(keys: readonly string[] = []) {
  const files = new Map([['project/a b.md', 'text']])
  const asked: unknown[] = []
  const memory: MemoryPort = {
    async list(owner) {
      asked.push(owner)
      return [...files].map(([path, text]) => ({ path, bytes: text.length, updated_at: '2026-01-01' }))
    },
    read: async path => files.get(path),
    remove: async path => files.delete(path),
  }
  running = await startServer({ memory, apiKeys: keys })
  return { asked, files, ...running }
}

test('notes are listed, read and deleted by their path', async () => {
  const { json, files } = await open()
  expect((await json('GET', '/api/memory')).body).toEqual({
    enabled: true,
    files: [{ path: 'project/a b.md', bytes: 4, updated_at: '2026-01-01' }],
  })
  expect((await json('GET', '/api/memory/project/a%20b.md')).body).toEqual({
    path: 'project/a b.md',
    text: 'text',
  })
  expect((await json('DELETE', '/api/memory/project/a%20b.md')).status).toBe(204)
  expect([...files]).toEqual([])
})

test('a path that names nothing, or leads away, is not found', async () => {
  const { json, files } = await open()
  for (const path of ['project/no.md', '..%2f..%2fetc%2fpasswd', '%00'])
    expect((await json('DELETE', `/api/memory/${path}`)).status).toBe(404)
  expect(files.size).toBe(1)
})

test('the notes of a session are those of its workspace', async () => {
  const { json, asked, newSession } = await open()
  const id = await newSession()
  await json('GET', `/api/memory?session_id=${id}`)
  await json('GET', '/api/memory')
  expect(asked).toEqual([
    { workspace: expect.any(String), session_id: id },
    { workspace: '/workspace', session_id: '' },
  ])
  expect((await json('GET', '/api/memory?session_id=00000000-0000-4000-8000-000000000000')).status).toBe(404)
})

test('without memory there is nothing to list and nothing to delete', async () => {
  running = await startServer()
  expect((await running.json('GET', '/api/memory')).body).toEqual({ enabled: false, files: [] })
  expect((await running.json('DELETE', '/api/memory/project/a.md')).status).toBe(404)
})

test('the settings say whether there is memory and a sandbox, and why not', async () => {
  running = await startServer({
    settings: {
      sandbox: async () => ({
        enabled: true,
        available: false,
        reason: 'bubblewrap (bwrap) is not installed',
        network: false,
        required: false,
      }),
    },
  })
  const { status, body } = await running.json('GET', '/api/settings')
  expect(status).toBe(200)
  expect(body).toMatchObject({
    permission_mode: 'default',
    memory: { enabled: false },
    sandbox: { enabled: true, available: false, reason: expect.stringContaining('not installed') },
  })
})

/** Uploads by the client, over a real server and over connections that break. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient, filePart } from '../src/index.ts'
import { type Running, startServer } from './start-server.ts'

let server: Running
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

it('uploads a file, names it in a message, reads it, lists it and deletes it', async () => {
  const client = createClient({ baseUrl: server.url })
  const text = '键 '.repeat(100_000)
  const file = await client.files.upload(new File([text], 'notes.txt'), { expiresInSeconds: 3_600 })
  expect(file).toMatchObject({ filename: 'notes.txt', media_type: 'text/plain', problem: null })
  expect(await (await client.files.content(file.id)).text()).toBe(text)
  expect(await client.files.get(file.id)).toEqual(file)
  const { id } = await client.sessions.create()
  await client.send(id, [{ type: 'text', text: 'read it' }, filePart(file)])
  expect((await client.files.get(file.id)).expires_at).toBeNull()
  expect((await client.files.list({ limit: 1 })).files).toMatchObject([{ id: file.id }])
  const log = JSON.stringify(await server.store.read(id, 0, 100))
  expect(log).toContain(file.sha256)
  expect(log.length).toBeLessThan(text.length)
  await expect(client.files.remove(file.id)).rejects.toMatchObject({ code: 'file_in_use' })
  await client.files.remove(file.id, { force: true })
  await expect(client.files.get(file.id)).rejects.toMatchObject({ code: 'file_not_found' })
  client.close()
})

it('repeats an upload whose answer is lost, and stores one file', async () => {
  let lost = 0
  const client = createClient({
    baseUrl: server.url,
    backoff: { baseMs: 1, maxMs: 1 },
    fetch: async (input, init) => {
      const response = await fetch(input, init)
      if (init?.method !== 'POST' || lost > 1) return response
      lost += 1
      throw new TypeError('fetch failed')
    },
  })
  const file = await client.files.upload(new Blob(['once']), { filename: 'once.txt' })
  expect(lost).toBe(2)
  const { files } = await client.files.list()
  expect(files.filter(one => one.filename === 'once.txt').map(one => one.id)).toEqual([file.id])
  client.close()
})

/** The settings page of an administrator: the storage in use, and the doctor's results. */
import { afterEach, expect, test } from 'vitest'
import { type Running, startServer } from './start-server.ts'

let running: Running | undefined
afterEach(async () => {
  await running?.close()
  running = undefined
})

const sandbox = async () => ({
  enabled: false,
  available: false,
  reason: '',
  network: true,
  required: false,
})

test('storage is reported with what could be pruned, and the report deletes nothing', async () => {
  running = await startServer({
    settings: { sandbox, storage: { engine: 'sqlite', data: '/data' } },
  })
  const { json, newSession } = running
  const id = await newSession()
  const { body } = await json('GET', '/api/storage')
  expect(body).toMatchObject({
    sessions: 1,
    by_state: { idle: 1 },
    prunable: [
      { older_than_days: 30, sessions: 0 },
      { older_than_days: 90, sessions: 0 },
    ],
    place: { engine: 'sqlite', data: '/data' },
  })
  expect(body.events).toBeGreaterThan(0)
  expect((await json('GET', `/api/sessions/${id}`)).status).toBe(200)
})

test('the doctor runs every time, and a server without one has no such page', async () => {
  let visits = 0
  running = await startServer({
    settings: {
      sandbox,
      examine: async () => [{ state: 'note', what: `visit ${++visits}`, mend: 'rest' }],
    },
  })
  await running.json('GET', '/api/doctor')
  expect((await running.json('GET', '/api/doctor')).body).toEqual({
    findings: [{ state: 'note', what: 'visit 2', mend: 'rest' }],
  })
  await running.close()
  running = await startServer()
  expect((await running.json('GET', '/api/doctor')).status).toBe(404)
  expect((await running.json('GET', '/api/storage')).body.place).toBeNull()
})

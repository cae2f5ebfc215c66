import type { SessionEvent } from '@toolwire/core'
import { afterEach, expect, test } from 'vitest'
import { type Running, startServer } from './start-server.ts'

let running: Running | undefined
afterEach(async () => {
  await running?.close()
  running = undefined
})

async function open() {
  const asked: unknown[] = []
  running = await startServer({
    async undo(session, request) {
      asked.push([session, request])
      return { dry_run: request.dryRun, files: [] }
    },
  })
  const id = await running.newSession()
  return { asked, id, ...running }
}

test('a call, an exchange or the whole session is taken back, dry or for real', async () => {
  const { json, asked, id } = await open()
  const path = `/api/sessions/${id}/undo`
  expect(await json('POST', path, { call: 'c1', dry_run: true })).toMatchObject({
    status: 200,
    body: { session_id: id, dry_run: true, files: [] },
  })
  await json('POST', path, { turn: 't1' })
  await json('POST', path, { session: true, paths: ['/a'] })
  await json('GET', `/api/sessions/${id}/changes`)
  await json('GET', `/api/sessions/${id}/changes?turn=t1`)
  expect((await json('GET', `/api/sessions/${id}/changes?turn=t1&call=c1`)).status).toBe(400)
  expect(asked).toEqual([
    [id, { call: 'c1', dryRun: true }],
    [id, { turn: 't1', dryRun: false }],
    [id, { session: true, dryRun: false, paths: ['/a'] }],
    [id, { session: true, dryRun: true }],
    [id, { turn: 't1', dryRun: true }],
  ])
})

test('a body that names none or two of them is refused, and so is an unknown session', async () => {
  const { json, asked, id } = await open()
  for (const body of [{}, { call: 'c', turn: 't' }, { session: false }])
    expect((await json('POST', `/api/sessions/${id}/undo`, body)).status).toBe(400)
  const unknown = '/api/sessions/00000000-0000-4000-8000-000000000000/undo'
  expect((await json('POST', unknown, { session: true })).status).toBe(404)
  expect(asked).toEqual([])
})

test('a running session is refused unless the run is dry', async () => {
  const { json, id, store } = await open()
  const message: SessionEvent = {
    type: 'input.message',
    ts: '',
    run_id: 'r',
    message_id: 'm',
    role: 'user',
    content: [],
  }
  await store.append([{ session: id, events: [message] }])
  expect((await json('POST', `/api/sessions/${id}/undo`, { session: true })).status).toBe(409)
  expect((await json('POST', `/api/sessions/${id}/undo`, { session: true, dry_run: true })).status).toBe(200)
})

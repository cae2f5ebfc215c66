import { afterEach, expect, test } from 'vitest'
import type { ExplainRequest } from '../src/config.ts'
import { type Running, startServer } from './start-server.ts'

let running: Running | undefined
afterEach(async () => {
  await running?.close()
  running = undefined
})

async function open() {
  const asked: ExplainRequest[] = []
  running = await startServer({
    toolNames: ['Danger'],
    async explainPermission(request) {
      asked.push(request)
      return { tool: request.tool, decision: 'ask', reason: 'because' }
    },
  })
  return { asked, ...running }
}

test('the explanation is answered as it is; without a session the defaults of new ones count', async () => {
  const { json, asked } = await open()
  const answer = await json('POST', '/api/permissions/explain', { tool: 'Danger', input: { a: 1 } })
  expect(answer).toMatchObject({ status: 200, body: { tool: 'Danger', decision: 'ask', reason: 'because' } })
  expect(asked).toMatchObject([
    {
      tool: 'Danger',
      input: { a: 1 },
      session: { permission_mode: 'default', created: { cwd: '/workspace', tools: ['Danger'] } },
    },
  ])
})

test('a session brings its mode; the request may ask about another', async () => {
  const { json, asked } = await open()
  const { body } = await json('POST', '/api/sessions', { permission_mode: 'plan' })
  await json('POST', '/api/permissions/explain', { tool: 'Danger', session_id: body.id })
  await json('POST', '/api/permissions/explain', {
    tool: 'Danger',
    session_id: body.id,
    permission_mode: 'acceptEdits',
  })
  expect(asked.map(one => [one.session_id, one.session.permission_mode])).toEqual([
    [body.id, 'plan'],
    [body.id, 'acceptEdits'],
  ])
})

test('an unknown session, a body of another form and a server without the port are refused', async () => {
  const { json } = await open()
  const unknown = { tool: 'Danger', session_id: '00000000-0000-4000-8000-000000000000' }
  expect((await json('POST', '/api/permissions/explain', unknown)).status).toBe(404)
  expect((await json('POST', '/api/permissions/explain', { input: {} })).status).toBe(400)
  await running?.close()
  running = await startServer()
  expect((await running.json('POST', '/api/permissions/explain', { tool: 'Danger' })).status).toBe(404)
})

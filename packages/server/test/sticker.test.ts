import { afterEach, beforeEach, expect, test } from 'vitest'
import { readFrames } from './read-sse.ts'
import { type Running, startServer } from './start-server.ts'

let running: Running
beforeEach(async () => {
  running = await startServer()
})
afterEach(async () => {
  await running.close()
})

const FORM = { status: 'submitted', name: 'Ada Secret', address_1: '1 Hidden Lane', email: 'ada@secret.test' }

/** A session whose model has asked for the form. */
async function asked() {
  const id = await running.newSession()
  const frames = await readFrames(await running.chat({ session_id: id, message: 'stickers' }))
  const call = frames.find(frame => frame.data.type === 'tool_execute')?.data.tool.id
  const answer = (output: unknown, is_error = false) =>
    running.json('POST', `/api/sessions/${id}/tool_outputs`, {
      tool_outputs: [{ call_id: call, output, is_error }],
    })
  const log = async () => (await running.store.read(id, 0, 1000)).map(rec => rec.ev)
  return { id, call, answer, log }
}

test('nothing of the form reaches the log, whatever a client sends along', async () => {
  const { id, answer, log } = await asked()
  expect((await answer(FORM)).status).toBe(200)
  await running.settled()
  const text = JSON.stringify(await log())
  expect(text).not.toMatch(/secret|hidden lane/i)
  expect(text).toContain('The sticker form was sent')
  const export_ = await running.json('GET', `/api/sessions/${id}`)
  expect(JSON.stringify(export_.body)).not.toMatch(/secret|hidden lane/i)
  expect(running.logged.join('\n')).not.toMatch(/secret|hidden lane/i)
})

test('putting the form away is an error for the model and ends the turn', async () => {
  const { answer, log } = await asked()
  const before = running.model.calls()
  expect((await answer({ ...FORM, status: 'cancelled' })).status).toBe(200)
  await running.settled()
  const events = await log()
  expect(events.find(ev => ev.type === 'tool.completed')).toMatchObject({
    output_text: 'Sticker request cancelled',
    is_error: true,
  })
  expect(events.filter(ev => ev.type === 'tool.completed' || ev.type === 'tool.failed')).toHaveLength(1)
  expect(events.at(-1)).toMatchObject({ type: 'run.cancelled', reason: 'Sticker request cancelled' })
  expect(running.model.calls()).toBe(before)
})

test('a session continues after a form that was dismissed', async () => {
  const { id, answer } = await asked()
  await answer('cancelled')
  await running.settled()
  const frames = await readFrames(await running.chat({ session_id: id, message: 'echo next' }))
  expect(frames.find(frame => frame.data.type === 'result')?.data.data.result).toBe('echo next')
})

test('the same answer again is accepted and changes nothing, another one is refused', async () => {
  const { answer, log } = await asked()
  await answer(FORM)
  await running.settled()
  const length = (await log()).length
  const again = await answer({ ...FORM, name: 'Somebody Else' })
  expect(again).toMatchObject({ status: 200, body: { accepted: [{ first: false }] } })
  expect((await answer('cancelled')).status).toBe(409)
  expect(await log()).toHaveLength(length)
})

test('an answer to a call that was given up comes too late', async () => {
  const { id, answer } = await asked()
  await running.json('POST', `/api/sessions/${id}/cancel`, {})
  await running.settled()
  const late = await answer(FORM)
  expect(late.status).toBeGreaterThanOrEqual(400)
  expect(JSON.stringify((await running.store.read(id, 0, 1000)).map(rec => rec.ev))).not.toMatch(/secret/i)
})

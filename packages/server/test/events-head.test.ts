import { afterEach, beforeEach, expect, it } from 'vitest'
import { readFrames } from './read-sse.ts'
import { type Running, startServer } from './start-server.ts'

let running: Running
beforeEach(async () => {
  running = await startServer()
})
afterEach(async () => {
  await running.close()
})

it('a stream of events announces the end of the log, so that its reader knows when it has caught up', async () => {
  const session_id = await running.newSession()
  await readFrames(await running.chat({ session_id, message: 'echo hi' }))
  const answer = await fetch(`${running.url}/api/sessions/${session_id}/events?wire=canonical`)
  const frames = await readFrames(answer)
  expect(Number(answer.headers.get('x-session-head'))).toBe(frames.at(-1)?.data.seq)
})

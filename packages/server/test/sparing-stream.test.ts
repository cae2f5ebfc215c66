import { ArgumentDeduplicator, type SessionEvent } from '@toolwire/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { calling } from './calling-model.ts'
import { readFrames } from './read-sse.ts'
import { type Running, startServer } from './start-server.ts'

const input = JSON.stringify({ text: '🚀 "long" '.repeat(10_000) })

let running: Running
let path: string
beforeEach(async () => {
  running = await startServer({}, { model: calling(input, 10_000) })
  const session_id = await running.newSession()
  const tools = [{ name: 'pick', input_schema: { type: 'object' } }]
  await (await running.chat({ session_id, message: 'go', tools })).text()
  await running.settled()
  path = `${running.url}/api/sessions/${session_id}/events?`
})
afterEach(async () => {
  await running.close()
})

const read = async (query: string, after?: string) =>
  await readFrames(
    await fetch(path + query, after === undefined ? {} : { headers: { 'last-event-id': after } }),
  )

describe('a stream that is asked to omit what it repeats', () => {
  it('carries long arguments once', async () => {
    const size = (frames: readonly { readonly raw: string }[]) =>
      frames.reduce((sum, { raw }) => sum + raw.length, 0)
    const whole = await read('')
    const short = await read('repeats=omit')
    expect(short.map(({ id }) => id)).toEqual(whole.map(({ id }) => id))
    expect(size(whole)).toBeGreaterThan(4 * input.length)
    expect(size(short)).toBeLessThan(2 * input.length)
    expect(short.filter(({ data }) => data.omitted !== undefined).length).toBeGreaterThan(1)
  })

  it('gives a reader that begins behind any frame all that it needs to fill in the rest', async () => {
    const whole = await read('')
    for (const [at, { id }] of whole.slice(0, -1).entries()) {
      const told = new ArgumentDeduplicator()
      const got = (await read('repeats=omit', id)).map(({ data }) =>
        told.restoreOmitted(data as SessionEvent),
      )
      expect(got).toEqual(whole.slice(at + 1).map(({ data }) => data))
    }
  })

  it('is the same as any other through a wire that repeats nothing, and refuses another word', async () => {
    const chat = await read('wire=chat')
    const asked = await read('wire=chat&repeats=omit')
    expect(asked.map(({ raw }) => raw)).toEqual(chat.map(({ raw }) => raw))
    expect((await fetch(`${path}repeats=some`)).status).toBe(400)
  })
})

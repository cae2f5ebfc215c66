/**
 * A reader whose cursor belongs to another history (a restored backup, a failover that lost events) is notified,
 * on every wire.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseSse, readFrames } from './read-sse.ts'
import { type Running, startServer } from './start-server.ts'

let lineage = ''
let running: Running
beforeEach(async () => {
  lineage = ''
  running = await startServer({}, { lineage: () => lineage })
})
afterEach(() => running.close())

const get = (path: string, cursor?: string) =>
  fetch(running.url + path, { headers: cursor === undefined ? {} : { 'last-event-id': cursor } })

async function converse(): Promise<string> {
  const session_id = await running.newSession()
  await readFrames(await running.chat({ session_id, message: 'echo hi' }))
  await running.settled()
  return session_id
}

const RESETS = ['canonical', 'chat', 'thread'] as const
const REFUSES = ['openai-chat', 'anthropic-messages'] as const
const pathOf = (session: string, wire: string): string => `/api/sessions/${session}/events?wire=${wire}`

describe('a cursor beyond the end of the log', () => {
  it.each(RESETS)(
    'is answered on the %s wire by one log.reset without an id, then by the whole session',
    async wire => {
      const session = await converse()
      const whole = await (await get(pathOf(session, wire))).text()
      const head = (await running.store.list({ limit: 1 })).items[0]?.head
      for (const cursor of [`${session}.999.0`, '999']) {
        const text = await (await get(pathOf(session, wire), cursor)).text()
        const [first, ...rest] = text.replace('retry: 1000\n\n', '').split('\n\n')
        expect(JSON.parse(/^data: (.+)$/m.exec(first ?? '')?.[1] ?? '')).toEqual({
          type: 'log.reset',
          session_id: session,
          head,
        })
        expect(first).not.toMatch(/^id:/m)
        expect(`retry: 1000\n\n${rest.join('\n\n')}`).toBe(whole)
      }
    },
  )

  it('names the frame in its event line on the wires that name theirs', async () => {
    const session = await converse()
    const first = async (wire: string) =>
      parseSse(await (await get(pathOf(session, wire), '999')).text()).map(frame => frame.raw)[0]
    expect(await first('canonical')).toMatch(/^event: log\.reset$/m)
    expect(await first('thread')).toMatch(/^event: log\.reset$/m)
    expect(await first('chat')).not.toMatch(/^event:/m)
  })

  it.each(REFUSES)(
    'is refused with log_reset on the %s wire, whose clients know no such frame',
    async wire => {
      const session = await converse()
      const response = await get(pathOf(session, wire), '999')
      expect(response.status).toBe(410)
      expect((await response.json()).error.code).toBe('log_reset')
    },
  )

  it('is refused with log_reset where one answer is read on', async () => {
    const session = await converse()
    const chat = await get(`/api/chat/stream?session_id=${session}`, `${session}.999.0`)
    expect([chat.status, (await chat.json()).error.code]).toEqual([410, 'log_reset'])
    const thread = await get('/v4/response?input=x', `${session}.999.0`)
    expect([thread.status, (await thread.json()).error.code]).toEqual([410, 'LOG_RESET'])
  })

  it('restarts the thread on the route of threads', async () => {
    const session = await converse()
    const frames = parseSse(await (await get(`/v4/threads/${session}/events`, '999')).text())
    expect(frames[0]?.data.type).toBe('log.reset')
    expect(frames.length).toBeGreaterThan(3)
  })
})

describe('a log of another history', () => {
  it('is reported to a reader with a cursor of the one before, also when it has grown beyond it', async () => {
    const session = await converse()
    const [first, ...others] = await readFrames(await get(pathOf(session, 'canonical')))
    lineage = '2'
    await expect
      .poll(async () => (await readFrames(await get(pathOf(session, 'canonical'), first?.id)))[0]?.data.type)
      .toBe('log.reset')
    const anew = (await readFrames(await get(pathOf(session, 'canonical'), first?.id))).slice(1)
    expect(anew.map(frame => frame.data)).toEqual([first, ...others].map(frame => frame?.data))
    expect(anew.map(frame => frame.id)).toEqual(
      [first, ...others].map(frame => frame?.id.replace('.', '~2.')),
    )
    const rest = await readFrames(await get(pathOf(session, 'canonical'), anew[0]?.id))
    expect(rest.map(frame => frame.raw)).toEqual(anew.slice(1).map(frame => frame.raw))
  })

  it('closes open streams, so that their readers reconnect and are notified', async () => {
    const session = await converse()
    const stream = await get(`${pathOf(session, 'canonical')}&follow=1`)
    const ended = stream.text().then(
      () => 'ended',
      () => 'cut off',
    )
    lineage = '3'
    expect(await ended).toBe('cut off')
  })
})

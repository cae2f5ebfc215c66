import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseSse, readFrames, readUntil, types } from './read-sse.ts'
import { type Running, startServer } from './start-server.ts'

let running: Running
beforeEach(async () => {
  running = await startServer()
})
afterEach(async () => {
  await running.close()
})

const get = (path: string, headers: Record<string, string> = {}) => fetch(running.url + path, { headers })
const frameText = (frames: readonly { raw: string }[]) => frames.map(frame => frame.raw).join('\n\n')

async function runOf(session_id: string): Promise<string> {
  const { body } = await running.json('GET', `/api/sessions/${session_id}/export`)
  return body.events.findLast((event: { type: string }) => event.type === 'run.started').run_id
}

describe('reading on after a cut', () => {
  it.each(['chat', 'canonical'])('continues byte for byte behind every frame of the %s wire', async wire => {
    const session_id = await running.newSession()
    await readFrames(await running.chat({ session_id, message: 'client' }))
    await readFrames(await running.chat({ session_id, message: 'echo hi' }))
    const path = `/api/sessions/${session_id}/events?wire=${wire}`
    const whole = await readFrames(await get(path))
    expect(whole.length).toBeGreaterThan(20)
    for (const [i, frame] of whole.entries()) {
      const rest = await get(path, { 'last-event-id': frame.id })
      if (i === whole.length - 1) expect(rest.status).toBe(204)
      else expect(frameText(await readFrames(rest))).toBe(frameText(whole.slice(i + 1)))
    }
  })

  it('works on the chat route, by conversation, with a header before a query', async () => {
    const session_id = await running.newSession()
    const first = await readFrames(await running.chat({ session_id, message: 'echo hi' }))
    const second = await readFrames(await running.chat({ session_id, message: 'echo again' }))
    const conversation = first[0]?.data.conversation_id
    const path = `/api/chat/stream?session_id=${session_id}`
    expect(frameText(await readFrames(await get(`${path}&conversation_id=${conversation}`)))).toBe(
      frameText(first),
    )
    expect(frameText(await readFrames(await get(path)))).toBe(frameText(second))
    const cut = await get(`${path}&after=${second[0]?.id}`, { 'last-event-id': second[3]?.id ?? '' })
    expect(frameText(await readFrames(cut))).toBe(frameText(second.slice(4)))
    expect((await get(path, { 'last-event-id': second.at(-1)?.id ?? '' })).status).toBe(204)
    expect((await get(`${path}&conversation_id=nope`)).status).toBe(404)
  })

  it('joins what the log has to what is still written, without gap or repeat', async () => {
    const session_id = await running.newSession()
    const response = await running.chat({ session_id, message: 'gate' })
    const head = await readUntil(response, seen => types(seen).includes('text_delta'))
    const path = `/api/sessions/${session_id}/events?wire=chat`
    const tail = get(path, { 'last-event-id': head.at(-1)?.id ?? '' })
    running.model.open()
    const rest = await readFrames(await tail)
    const whole = await readFrames(await get(path))
    expect(frameText([...head, ...rest])).toBe(frameText(whole))
  })

  it('finds a queued run by the id that the POST returned', async () => {
    const session_id = await running.newSession()
    const gate = await running.chat({ session_id, message: 'gate' })
    const queued = await running.chat({ session_id, message: 'echo later' })
    const run = queued.headers.get('x-run-id')
    const again = get(`/api/chat/stream?session_id=${session_id}&conversation_id=${run}`)
    running.model.open()
    expect(frameText(await readFrames(await again))).toBe(frameText(await readFrames(queued)))
    await gate.text()
  })
})

describe('GET /api/sessions/:id/events', () => {
  it('is 204 when nothing runs and all was read', async () => {
    const session_id = await running.newSession()
    expect((await get(`/api/sessions/${session_id}/events?after=1`)).status).toBe(204)
    expect((await get(`/api/sessions/${session_id}/events?wire=chat`)).status).toBe(204)
  })

  it('names the type of canonical events and carries their envelope', async () => {
    const session_id = await running.newSession()
    const text = await (await get(`/api/sessions/${session_id}/events`)).text()
    expect(text).toContain('event: session.created\n')
    expect(parseSse(text)[0]?.data).toMatchObject({ v: 1, seq: 1, session_id, type: 'session.created' })
  })

  it('stays open with follow=true and shows what comes next', async () => {
    const session_id = await running.newSession()
    const stream = await get(`/api/sessions/${session_id}/events?wire=chat&follow=true`)
    const reading = readUntil(stream, seen => types(seen).filter(type => type === 'done').length === 2)
    await readFrames(await running.chat({ session_id, message: 'echo a' }))
    await readFrames(await running.chat({ session_id, message: 'echo b' }))
    expect(types(await reading).filter(type => type === 'result')).toHaveLength(2)
  })

  it('is cut off, not ended, when the session is deleted', async () => {
    const session_id = await running.newSession()
    const stream = await get(`/api/sessions/${session_id}/events?follow=true`)
    const ended = stream.text().then(
      () => 'ended',
      () => 'cut off',
    )
    await running.json('DELETE', `/api/sessions/${session_id}`)
    expect(await ended).toBe('cut off')
  })

  it('is cut off, not ended, when the server stops in the middle of an answer', async () => {
    const session_id = await running.newSession()
    const stream = await running.chat({ session_id, message: 'gate' })
    const ended = stream.text().then(
      () => 'ended',
      () => 'cut off',
    )
    await running.server.close()
    expect(await ended).toBe('cut off')
  })

  it.each(['x', '-1', '1.x', '%00'])('refuses the cursor %s', async cursor => {
    const session_id = await running.newSession()
    const response = await get(`/api/sessions/${session_id}/events?after=${cursor}`)
    expect(response.status).toBe(400)
    expect((await response.json()).error.code).toBe('invalid_cursor')
  })

  it('refuses a cursor of another session', async () => {
    const session_id = await running.newSession()
    const other = await running.newSession()
    for (const cursor of [`${other}.1.0`, `${other}~2.1.0`, `${session_id}x~2.1.0`]) {
      const response = await get(`/api/sessions/${session_id}/events`, { 'last-event-id': cursor })
      expect(response.status).toBe(400)
    }
  })
})

describe('a session', () => {
  it('is exported whole', async () => {
    const session_id = await running.newSession()
    await readFrames(await running.chat({ session_id, message: 'echo hi' }))
    const { body } = await running.json('GET', `/api/sessions/${session_id}/export`)
    expect(body.session.id).toBe(session_id)
    expect(body.events.map((event: { seq: number }) => event.seq)).toEqual(
      body.events.map((_: unknown, i: number) => i + 1),
    )
    expect(body.events.at(0).type).toBe('session.created')
  })

  it('shows its messages as the model sees them', async () => {
    const session_id = await running.newSession()
    await readFrames(await running.chat({ session_id, message: 'echo hi' }))
    const { body } = await running.json('GET', `/api/sessions/${session_id}/messages`)
    expect(body.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [{ text: 'echo hi' }] },
    ])
  })

  it('is forked at a point, is idle there, and goes its own way', async () => {
    const session_id = await running.newSession()
    await readFrames(await running.chat({ session_id, message: 'echo hi' }))
    const { body } = await running.json('GET', `/api/sessions/${session_id}/export`)
    for (const at of body.events.map((event: { seq: number }) => event.seq)) {
      const forked = await running.json('POST', `/api/sessions/${session_id}/fork`, { at })
      expect([forked.status, forked.body.status]).toEqual([201, 'idle'])
      const frames = await readFrames(
        await running.chat({ session_id: forked.body.id, message: 'echo fork' }),
      )
      expect(frames.find(frame => frame.data.type === 'result')?.data.data.result).toBe('echo fork')
    }
    expect((await running.json('POST', `/api/sessions/${session_id}/fork`, { at: 999 })).status).toBe(400)
    expect((await running.json('GET', `/api/sessions/${session_id}`)).body.conversation_count).toBe(1)
  })

  it('is forked with its tools’ notes, such as the files that were read, and with its model’s history', async () => {
    const session_id = await running.newSession()
    await readFrames(await running.chat({ session_id, message: 'ask' }))
    const at = { ts: new Date().toISOString(), run_id: await runOf(session_id) }
    const read = { type: 'note', ...at, name: 'file:/a', value: { sha256: 'x' } } as const
    const content = [{ type: 'text' as const, text: 'a command has ended' }]
    const told = {
      type: 'input.message',
      ...at,
      message_id: 'm',
      role: 'system',
      content,
      if_paused: 'join',
    } as const
    await running.store.append([{ session: session_id, events: [read, told] }])
    const { body } = await running.json('POST', `/api/sessions/${session_id}/fork`)
    const copy = (await running.json('GET', `/api/sessions/${body.id}/export`)).body.events as {
      type: string
    }[]
    expect(copy).toContainEqual(expect.objectContaining({ name: 'file:/a', value: { sha256: 'x' } }))
    expect(copy).toContainEqual(expect.objectContaining({ type: 'input.message', content }))
  })

  it('is forked out of a pause without its open items', async () => {
    const session_id = await running.newSession()
    await readFrames(await running.chat({ session_id, message: 'ask' }))
    const { body } = await running.json('POST', `/api/sessions/${session_id}/fork`)
    expect(body).toMatchObject({ status: 'idle', pending: [] })
    expect((await running.json('GET', `/api/sessions/${session_id}`)).body.status).toBe('paused')
  })
})

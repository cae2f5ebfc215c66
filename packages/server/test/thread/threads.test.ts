import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteStore } from '@toolwire/store'
import { afterEach, describe, expect, it } from 'vitest'
import { find, get, post, readUntil, textOf, typesOf } from './thread-client.ts'
import { CLIENT_TOOLS, startThreadServer, type ThreadServer } from './thread-server.ts'

const script = {
  hello: [{ text: 'Hello you.' }],
  wait: [{ wait: true, text: 'There it is.' }],
  client: [{ text: 'Sure.', calls: [['set_temperature', { value: 0.8 }]] }],
  note: [{ calls: [['write_note', { text: 'hi' }]] }],
} as const

let server: ThreadServer
afterEach(() => server.close())

const send = (body: object) => post(`${server.url}/v4/response`, body)
const pause = async (input: string) => (await send({ input, tools: CLIENT_TOOLS })).body

describe("a thread's events", () => {
  it('are cut anywhere and continue exactly', async () => {
    server = await startThreadServer({ script })
    const { thread_id, pending_tools } = await pause('client')
    await send({ thread_id, tool_outputs: [{ call_id: pending_tools[0].call_id, output: '1' }] })
    const url = `${server.url}/v4/threads/${thread_id}/events`
    const { events } = await get(url)
    expect(typesOf(events)).toContain('conversation.resumed')
    for (const [i, event] of events.entries()) {
      const rest = await get(url, { 'last-event-id': event.id })
      if (i === events.length - 1) expect(rest.status).toBe(204)
      else expect(rest.events).toEqual(events.slice(i + 1))
    }
  })

  it('are 204 for a paused thread that was read to its end', async () => {
    server = await startThreadServer({ script })
    const { thread_id } = await pause('client')
    const url = `${server.url}/v4/threads/${thread_id}/events`
    const { events } = await get(url)
    expect(typesOf(events).at(-1)).toBe('conversation.paused')
    expect((await get(`${url}?after=${events.at(-1)?.id}`)).status).toBe(204)
  })

  it('with a cursor of another thread are refused', async () => {
    server = await startThreadServer({ script })
    const [one, other] = [await pause('hello'), await pause('hello')]
    const { events } = await get(`${server.url}/v4/threads/${one.thread_id}/events`)
    const { status, body } = await get(`${server.url}/v4/threads/${other.thread_id}/events`, {
      'last-event-id': events[0]?.id ?? '',
    })
    expect([status, body.error.code]).toEqual([400, 'INVALID_CURSOR'])
  })

  it('show another client’s message to every watcher', async () => {
    server = await startThreadServer({ script })
    const { thread_id, pending_tools } = await pause('client')
    const watching = readUntil(
      await fetch(`${server.url}/v4/threads/${thread_id}/events?follow=true`),
      'conversation.completed',
    )
    await send({ thread_id, tool_outputs: [{ call_id: pending_tools[0].call_id, output: '1' }] })
    expect(textOf(await watching)).toBe('Sure.got 1')
  })

  it('hold the arguments while they are written when asked for', async () => {
    server = await startThreadServer({ script })
    const { thread_id } = await pause('client')
    const url = `${server.url}/v4/threads/${thread_id}/events`
    expect(typesOf((await get(url)).events)).not.toContain('tool.input.delta')
    const { events } = await get(`${url}?include=tool.input.delta`)
    expect(find(events, 'tool.input.delta').delta).toBe('{"value":0.8}')
  })
})

describe('a client that goes away', () => {
  it('cancels nothing: the run ends and can be read later', async () => {
    server = await startThreadServer({ script })
    const response = await fetch(`${server.url}/v4/response`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ input: 'wait', stream: true }),
    })
    const seen = await readUntil(response, 'iteration.started')
    server.release()
    await server.settled()
    const { thread_id } = find(seen, 'conversation.started')
    const { events } = await get(`${server.url}/v4/threads/${thread_id}/events`)
    expect(textOf(events)).toBe('There it is.')
  })
})

describe('a pause', () => {
  it('survives the process: another server on the same data accepts the answer and continues once', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'toolwire-thread-'))
    try {
      server = await startThreadServer({ script, store: await openSqliteStore({ dir: folder }) })
      const client = await pause('client')
      const note = await pause('note')
      await server.close()
      server = await startThreadServer({ script, store: await openSqliteStore({ dir: folder }) })
      const tool_outputs = [{ call_id: client.pending_tools[0].call_id, output: '1' }]
      const resumed = await send({ thread_id: client.thread_id, tool_outputs, stream: true })
      expect(typesOf(resumed.events)[0]).toBe('conversation.resumed')
      expect(textOf(resumed.events)).toBe('got 1')
      const tool_approvals = [{ call_id: note.pending_approvals[0].call_id, approved: true }]
      const answers = await Promise.all([
        send({ thread_id: note.thread_id, tool_approvals }),
        send({ thread_id: note.thread_id, tool_approvals }),
      ])
      expect(answers.map(answer => answer.body.status)).toEqual(['success', 'success'])
      expect(server.ran).toEqual(['write_note hi'])
    } finally {
      await server.close()
      await rm(folder, { recursive: true, force: true })
      server = await startThreadServer({ script })
    }
  })

  it('is ended by a new message, which is answered instead', async () => {
    server = await startThreadServer({ script })
    const { thread_id } = await pause('client')
    expect((await send({ thread_id, input: 'hello' })).body).toMatchObject({
      status: 'success',
      outputs: [{ text: 'Hello you.' }],
    })
    const { events } = await get(`${server.url}/v4/threads/${thread_id}/events`)
    const steps = typesOf(events).filter(type => type.startsWith('conversation.') && !type.endsWith('.data'))
    expect(steps).toEqual([
      'conversation.started',
      'conversation.paused',
      'conversation.canceled',
      'conversation.started',
      'conversation.completed',
    ])
  })

  it('that asks a question is answered by an output or by an approval with an answer', async () => {
    server = await startThreadServer({ script })
    for (const say of [
      (call_id: string) => ({ tool_outputs: [{ call_id, output: 'blue' }] }),
      (call_id: string) => ({ tool_approvals: [{ call_id, approved: true, answer: 'blue' }] }),
    ]) {
      const { thread_id, pending_approvals } = await pause('note')
      const { call_id } = pending_approvals[0]
      const { session_id } = (await get(`${server.url}/v4/threads/${thread_id}`)).body
      await askInstead(session_id, call_id)
      const { body } = await send({ thread_id, ...say(call_id) })
      expect(body.outputs[0].text).toBe('got blue')
    }
    expect(server.ran).toEqual([])
  })
})

/** Turns the open approval of a call into a question, as a tool that asks for words would have written it. */
async function askInstead(session: string, call_id: string): Promise<void> {
  const ts = new Date().toISOString()
  const approval_id = `apr_${session}.question`
  const question = { approval_id, call_id, name: 'write_note', kind: 'question', allow_edit: false } as const
  await server.store.append([
    { session, events: [{ type: 'tool.approval_requested', ts, ...question, message: 'Which colour?' }] },
  ])
}

describe('between wires', () => {
  it('a session that began as a chat is answered here, and both streams show it', async () => {
    server = await startThreadServer({ script })
    const session = (await post(`${server.url}/api/sessions`, {})).body.id
    const chat = await fetch(`${server.url}/api/chat/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ session_id: session, message: 'client', tools: CLIENT_TOOLS }),
    })
    expect(await chat.text()).toContain('"subtype":"paused"')
    const thread = (await get(`${server.url}/v4/threads/${session}`)).body
    const tool_outputs = [{ call_id: thread.pending_tools[0].call_id, output: '{"success":true}' }]
    const { events } = await send({ thread_id: thread.thread_id, tool_outputs, stream: true })
    expect(textOf(events)).toBe('got {"success":true}')
    const shown = await fetch(`${server.url}/api/sessions/${session}/events?wire=chat`)
    expect(await shown.text()).toContain('got ')
    const canonical = await fetch(`${server.url}/api/sessions/${session}/events?wire=thread`)
    expect(await canonical.text()).toContain('event: conversation.resumed')
  })

  it('a thread is answered on the chat wire, and by the session API, and continues here', async () => {
    server = await startThreadServer({ script })
    for (const answer of [
      (session_id: string, call_id: string) =>
        fetch(`${server.url}/api/chat/stream`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ session_id, tool_outputs: [{ tool_use_id: call_id, output: '1' }] }),
        }),
      (session_id: string, call_id: string) =>
        fetch(`${server.url}/api/sessions/${session_id}/tool_outputs`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ tool_outputs: [{ call_id, output: '1' }] }),
        }),
    ]) {
      const { thread_id, pending_tools } = await pause('client')
      const { session_id } = (await get(`${server.url}/v4/threads/${thread_id}`)).body
      const response = await answer(session_id, pending_tools[0].call_id)
      expect(response.status).toBe(200)
      await response.text()
      await server.settled()
      // The same output sent here too is no contradiction: it is answered with what came of it.
      const tool_outputs = [{ call_id: pending_tools[0].call_id, output: '1' }]
      expect(
        (await send({ thread_id, tool_outputs, stream: true })).events.map(event => event.type),
      ).toContain('conversation.completed')
    }
  })
})

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { find, get, parseEvents, post, type ThreadEvent, typesOf } from './thread-client.ts'
import { CLIENT_TOOLS } from './thread-server.ts'

const SERVER = fileURLToPath(new URL('killed-server.ts', import.meta.url))
const FLAGS = ['--conditions=toolwire-source']

let folder: string
let child: ChildProcess
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolwire-kill-'))
})
afterEach(async () => {
  await kill()
  await rm(folder, { recursive: true, force: true })
})

async function start(): Promise<string> {
  child = spawn(process.execPath, [...FLAGS, SERVER, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  let out = ''
  for await (const chunk of child.stdout ?? []) {
    out += chunk
    if (out.includes('\n')) return out.trim()
  }
  throw new Error('the server did not start')
}

async function kill(): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

/** Reads until an event of this type is in, then kills the server under the open stream. */
async function killAt(response: Response, type: string): Promise<readonly ThreadEvent[]> {
  let text = ''
  const decoder = new TextDecoder()
  try {
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true })
      if (parseEvents(text).some(event => event.type === type)) await kill()
    }
  } catch {
    // The socket of a killed server breaks: that is the point.
  }
  await kill()
  return parseEvents(text)
}

const send = (url: string, body: object): Promise<Response> =>
  fetch(`${url}/v4/response`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, stream: true }),
  })

/** Reads, over whatever the next server still has to do, until the thread is idle. */
async function rest(
  url: string,
  thread: number,
  seen: readonly ThreadEvent[],
): Promise<readonly ThreadEvent[]> {
  const cursor = { 'last-event-id': seen.at(-1)?.id ?? '' }
  const { status, events } = await get(`${url}/v4/threads/${thread}/events`, cursor)
  expect([200, 204]).toContain(status)
  return [...seen, ...events]
}

const output = '{"success":true}'

describe('kill -9, then another server on the same data', () => {
  it.each(['iteration.started', 'tool.preparing', 'tool.result', 'tool.execute', 'conversation.paused'])(
    'at %s of the first answer: the thread pauses once, is answered once, and ends once',
    async type => {
      const first = await start()
      const cut = await killAt(await send(first, { input: 'go', tools: CLIENT_TOOLS }), type)
      const { thread_id } = find(cut, 'conversation.started')
      const second = await start()
      const seen = await rest(second, thread_id, cut)
      const pause = find(seen, 'conversation.paused')
      const tool_outputs = pause.pending_tools.map((tool: object) => ({ ...tool, output }))
      const { body } = await post(`${second}/v4/response`, { thread_id, tool_outputs })
      expect(body.outputs[0].text).toBe('All done now.')
      await expectOneEnd(second, thread_id, await rest(second, thread_id, seen))
    },
  )

  it.each(['conversation.resumed', 'iteration.started', 'text.chunk'])(
    'at %s of the second answer: it continues, and the same output sent again changes nothing',
    async type => {
      const first = await start()
      const { events } = await post(`${first}/v4/response`, {
        input: 'go',
        tools: CLIENT_TOOLS,
        stream: true,
      })
      const pause = find(events, 'conversation.paused')
      const { thread_id } = pause
      const tool_outputs = pause.pending_tools.map((tool: object) => ({ ...tool, output }))
      const cut = await killAt(await send(first, { thread_id, tool_outputs }), type)
      const second = await start()
      const { status, body } = await post(`${second}/v4/response`, { thread_id, tool_outputs })
      expect([status, body.outputs[0].text]).toEqual([200, 'All done now.'])
      await expectOneEnd(second, thread_id, await rest(second, thread_id, [...events, ...cut]))
    },
  )

  it('in a pause: the answer may come through the chat wire, and is taken once', async () => {
    const first = await start()
    const cut = await killAt(await send(first, { input: 'go', tools: CLIENT_TOOLS }), 'conversation.paused')
    const { thread_id, pending_tools } = find(cut, 'conversation.paused')
    const second = await start()
    const { session_id } = (await get(`${second}/v4/threads/${thread_id}`)).body
    const tool_outputs = pending_tools.map((tool: { call_id: string }) => ({
      tool_use_id: tool.call_id,
      output,
    }))
    const chat = await fetch(`${second}/api/chat/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ session_id, tool_outputs }),
    })
    expect(chat.status).toBe(200)
    expect(await chat.text()).toContain('"subtype":"success"')
    // The same answer here as well changes nothing: it gets what came of the first one.
    const again = pending_tools.map((tool: object) => ({ ...tool, output }))
    const { body } = await post(`${second}/v4/response`, { thread_id, tool_outputs: again })
    expect(body.outputs[0].text).toBe('All done now.')
    await expectOneEnd(second, thread_id, await rest(second, thread_id, cut))
  })
})

/** What the client pieced together is what the log says; everything ended once, the note was written at most once. */
async function expectOneEnd(url: string, thread: number, seen: readonly ThreadEvent[]): Promise<void> {
  const { events } = await get(`${url}/v4/threads/${thread}/events`)
  expect(seen).toEqual(events)
  const count = (type: string): number => typesOf(events).filter(one => one === type).length
  expect(count('conversation.completed')).toBe(1)
  expect(count('conversation.paused')).toBe(1)
  const results = events.flatMap(event => (event.type === 'tool.result' ? [event.data] : []))
  expect(new Set(results.map(result => result.call_id)).size).toBe(results.length)
  const ran = await readFile(join(folder, 'ran.txt'), 'utf8').catch(() => '')
  // Killed between its start and its effect, the call may not have happened; it never happens twice.
  const { success } = results.findLast(result => result.name === 'write_note')
  expect(ran).toBe(success || ran !== '' ? 'write_note once\n' : '')
}

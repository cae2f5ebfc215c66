import type { Store } from '@toolwire/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readFrames, readUntil, types } from './read-sse.ts'
import { type Running, startServer } from './start-server.ts'

let running: Running
beforeEach(async () => {
  running = await startServer()
})
afterEach(async () => {
  await running.close()
})

const lastSubtype = (frames: Awaited<ReturnType<typeof readFrames>>) =>
  frames.find(frame => frame.data.type === 'result')?.data.data.subtype

describe('POST /api/chat/stream', () => {
  it('answers a message with a whole event stream that is never buffered or cached', async () => {
    const session_id = await running.newSession()
    const response = await running.chat({ session_id, message: 'echo hi' })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-cache, no-transform')
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    const text = await response.text()
    expect(text.startsWith('retry: ')).toBe(true)
    expect(text).not.toContain('\r')
    expect(text.endsWith('\n\n')).toBe(true)
    const { body } = await running.json('GET', `/api/sessions/${session_id}`)
    expect(body).toMatchObject({
      status: 'idle',
      conversation_count: 1,
      title: 'echo hi',
      is_waiting_for_tool: false,
    })
    expect(body.claude_session_id).toBeTypeOf('string')
  })

  it('sends system first, then result and done last', async () => {
    const session_id = await running.newSession()
    const frames = await readFrames(await running.chat({ session_id, message: 'echo hi' }))
    expect(types(frames).at(0)).toBe('system')
    expect(types(frames).slice(-2)).toEqual(['result', 'done'])
    expect(new Set(frames.map(frame => frame.data.session_id))).toEqual(new Set([session_id]))
  })

  it('ends a failed run with error, result and done', async () => {
    const session_id = await running.newSession()
    const frames = await readFrames(await running.chat({ session_id, message: 'fail' }))
    expect(types(frames).slice(-3)).toEqual(['error', 'result', 'done'])
    expect((await running.json('GET', `/api/sessions/${session_id}`)).body.status).toBe('failed')
    await running.settled()
    const { body } = await running.json('GET', '/api/sessions?status=failed')
    expect(body.sessions.map((s: { id: string }) => s.id)).toEqual([session_id])
  })

  it('flushes its headers before the model says anything', async () => {
    const session_id = await running.newSession()
    const response = await running.chat({ session_id, message: 'gate' })
    const frames = await readUntil(response, seen => types(seen).includes('text_delta'))
    expect(frames.at(-1)?.data.content).toBe('before ')
  })

  it('continues when its reader leaves: a disconnect never cancels', async () => {
    const session_id = await running.newSession()
    const response = await running.chat({ session_id, message: 'gate' })
    await readUntil(response, seen => types(seen).includes('text_delta'))
    running.model.open()
    const rest = await readFrames(await fetch(`${running.url}/api/sessions/${session_id}/events?wire=chat`))
    expect(lastSubtype(rest)).toBe('success')
    expect(rest.find(frame => frame.data.type === 'result')?.data.data.result).toBe('before after')
  })

  it('runs an idempotency key once and gives both callers the same bytes', async () => {
    const session_id = await running.newSession()
    const key = { 'idempotency-key': 'k1' }
    const [a, b] = await Promise.all([
      running.chat({ session_id, message: 'echo once' }, key).then(r => r.text()),
      running.chat({ session_id, message: 'echo once' }, key).then(r => r.text()),
    ])
    expect(a).toBe(b)
    expect(await (await running.chat({ session_id, message: 'echo once' }, key)).text()).toBe(a)
    expect(running.model.calls()).toBe(1)
    const other = await running.chat({ session_id, message: 'something else' }, key)
    expect(other.status).toBe(409)
  })

  it('does not read a long session again for each message, and sends the same as if it did', async () => {
    const session_id = await running.newSession()
    await readFrames(await running.chat({ session_id, message: 'long 3000' }))
    await running.settled()
    await running.json('GET', `/api/sessions/${session_id}`)
    const head = (await running.store.list({ ids: [session_id], limit: 1 })).items[0]?.head ?? 0
    const places: number[] = []
    const read = running.store.read.bind(running.store)
    running.server.context.sessions.reader.read = (session, after, max) => {
      places.push(after)
      return read(session, after, max)
    }
    const sent = await readFrames(await running.chat({ session_id, message: 'client' }))
    expect(Math.min(...places)).toBeGreaterThanOrEqual(head)
    const conversation = sent[0]?.data.conversation_id
    const path = `/api/chat/stream?session_id=${session_id}&conversation_id=${conversation}`
    expect(await readFrames(await fetch(running.url + path))).toEqual(sent)
  })

  it('answers errors before the stream as JSON with their status', async () => {
    const unknown = await running.json('POST', '/api/chat/stream', { session_id: 'nope', message: 'x' })
    expect(unknown.status).toBe(404)
    expect(unknown.body.error).toMatchObject({ code: 'session_not_found', retryable: false })
    expect(unknown.body.error.request_id).toBe(unknown.headers.get('x-request-id'))
    const session_id = await running.newSession()
    await running.json('DELETE', `/api/sessions/${session_id}`)
    expect((await running.json('POST', '/api/chat/stream', { session_id, message: 'x' })).status).toBe(410)
    expect((await running.json('POST', '/api/chat/stream', { session_id })).status).toBe(400)
  })

  it('queues messages of one session, each stream showing its own run', async () => {
    const session_id = await running.newSession()
    const [a, b] = await Promise.all([
      running.chat({ session_id, message: 'echo one' }).then(readFrames),
      running.chat({ session_id, message: 'echo two' }).then(readFrames),
    ])
    const result = (frames: typeof a) => frames.find(frame => frame.data.type === 'result')?.data.data.result
    expect([result(a), result(b)]).toEqual(['echo one', 'echo two'])
    expect(types(a).filter(type => type === 'done')).toHaveLength(1)
  })
})

/** Requests that look before any of them has written, as they do with a store on a disk. */
function slowDown(store: Store): void {
  const append = store.append.bind(store)
  store.append = async writes => {
    for (let i = 0; i < 20; i++) await new Promise(resolve => setImmediate(resolve))
    return await append(writes)
  }
}

describe('client tools', () => {
  const pendingOf = async (session: string) =>
    (await running.json('GET', `/api/sessions/${session}`)).body.pending

  it('pause the run, take partial outputs, and continue the same conversation', async () => {
    const session_id = await running.newSession()
    const first = await readFrames(await running.chat({ session_id, message: 'client' }))
    expect(types(first).slice(-3)).toEqual(['paused', 'result', 'done'])
    const calls = first.filter(frame => frame.data.type === 'tool_execute').map(frame => frame.data.tool.id)
    expect(calls).toHaveLength(2)
    expect(await pendingOf(session_id)).toHaveLength(2)
    const half = await readFrames(
      await running.chat({ session_id, tool_outputs: [{ tool_use_id: calls[0], output: 'A' }] }),
    )
    expect(lastSubtype(half)).toBe('paused')
    expect(await pendingOf(session_id)).toHaveLength(1)
    const rest = await readFrames(
      await running.chat({ session_id, tool_outputs: [{ tool_use_id: calls[1], output: { b: 1 } }] }),
    )
    expect(rest.find(frame => frame.data.type === 'result')?.data.data.result).toBe('got A,{"b":1}')
    const conversations = [...first, ...half, ...rest].map(frame => frame.data.conversation_id)
    expect(new Set(conversations).size).toBe(1)
  })

  it('answer a repeated output with the same stream and a different one with 409', async () => {
    const session_id = await running.newSession()
    const first = await readFrames(await running.chat({ session_id, message: 'client' }))
    const calls = first.filter(frame => frame.data.type === 'tool_execute').map(frame => frame.data.tool.id)
    const tool_outputs = calls.map(tool_use_id => ({ tool_use_id, output: 'A' }))
    const once = await (await running.chat({ session_id, tool_outputs })).text()
    expect(await (await running.chat({ session_id, tool_outputs })).text()).toBe(once)
    const different = tool_outputs.map(output => ({ ...output, output: 'B' }))
    expect((await running.chat({ session_id, tool_outputs: different })).status).toBe(409)
  })

  it('given at the same time count once: equal outputs are accepted, different ones refused', async () => {
    const session_id = await running.newSession()
    const first = await readFrames(await running.chat({ session_id, message: 'client' }))
    const call_id = first.find(frame => frame.data.type === 'tool_execute')?.data.tool.id
    slowDown(running.store)
    const answers = await Promise.all(
      ['A', 'A', 'B', 'B'].map(output =>
        running.json('POST', `/api/sessions/${session_id}/tool_outputs`, {
          tool_outputs: [{ call_id, output }],
        }),
      ),
    )
    expect(answers.map(answer => answer.status).sort()).toEqual([200, 200, 409, 409])
    expect(answers.filter(answer => answer.body.accepted?.[0].first)).toHaveLength(1)
  })

  it('can be answered without a stream', async () => {
    const session_id = await running.newSession()
    const first = await readFrames(await running.chat({ session_id, message: 'client' }))
    const calls = first.filter(frame => frame.data.type === 'tool_execute').map(frame => frame.data.tool.id)
    const path = `/api/sessions/${session_id}/tool_outputs`
    const { status, body } = await running.json('POST', path, {
      tool_outputs: calls.map(call_id => ({ call_id, output: 'x' })),
    })
    expect(status).toBe(200)
    expect(body.accepted).toEqual(calls.map(tool_use_id => ({ tool_use_id, first: true })))
    await readFrames(await fetch(`${running.url}/api/chat/stream?session_id=${session_id}`))
    expect((await running.json('GET', `/api/sessions/${session_id}`)).body.status).toBe('idle')
    expect((await running.json('POST', path, { tool_outputs: [{ call_id: 'no', output: '' }] })).status).toBe(
      400,
    )
  })

  it('are superseded by a new message', async () => {
    const session_id = await running.newSession()
    await readFrames(await running.chat({ session_id, message: 'client' }))
    const frames = await readFrames(await running.chat({ session_id, message: 'echo next' }))
    expect(frames.find(frame => frame.data.type === 'result')?.data.data.result).toBe('echo next')
    expect(await pendingOf(session_id)).toEqual([])
  })

  it('are not those of the server', async () => {
    const session_id = await running.newSession()
    const first = await readFrames(await running.chat({ session_id, message: 'ask' }))
    const call = first.find(frame => frame.data.type === 'tool_use')?.data.tool.id
    const { status, body } = await running.json('POST', `/api/sessions/${session_id}/tool_outputs`, {
      tool_outputs: [{ tool_use_id: call, output: 'x' }],
    })
    expect([status, body.error.code]).toEqual([400, 'not_a_client_tool'])
  })
})

describe('approvals', () => {
  async function asked(): Promise<{ session_id: string; approval_id: string }> {
    const session_id = await running.newSession()
    const frames = await readFrames(await running.chat({ session_id, message: 'ask' }))
    return {
      session_id,
      approval_id: frames.find(f => f.data.type === 'tool_approval_request')?.data.approval_id,
    }
  }

  it('are listed while they wait, decided once, and every later caller gets the first decision', async () => {
    const { session_id, approval_id } = await asked()
    await running.settled()
    const { body } = await running.json('GET', '/api/pending')
    expect(body.pending).toMatchObject([{ session_id, kind: 'approval', id: approval_id, name: 'Danger' }])
    const path = `/api/approvals/${approval_id}`
    const first = await running.json('POST', path, { decision: 'approved', reason: 'fine' })
    expect(first.body).toMatchObject({ decision: 'approved', first: true, session_id })
    const second = await running.json('POST', path, { decision: 'denied' })
    expect(second.status).toBe(200)
    expect(second.body).toMatchObject({ decision: 'approved', reason: 'fine', first: false })
    const frames = await readFrames(await fetch(`${running.url}/api/chat/stream?session_id=${session_id}`))
    expect(frames.find(f => f.data.type === 'tool_approval')?.data.approved).toBe(true)
    expect((await running.json('GET', '/api/pending')).body.pending).toEqual([])
  })

  it('may keep a rule for a time, which the clock of the server turns into a moment', async () => {
    const { session_id, approval_id } = await asked()
    const path = `/api/approvals/${approval_id}`
    const early = await running.json('POST', path, { decision: 'approved', rule: 'Danger', rule_ttl_s: 0 })
    expect(early.status).toBe(400)
    const before = Date.now()
    await running.json('POST', path, { decision: 'approved', rule: 'Danger', rule_ttl_s: 3600 })
    const records = await running.store.read(session_id, 0, 1000)
    const answer = records.map(({ ev }) => ev).find(ev => ev.type === 'input.approval')
    expect(answer).toMatchObject({ rule: 'Danger' })
    const left = Date.parse(answer?.rule_expires_at ?? '') - before
    expect(left).toBeGreaterThanOrEqual(3_600_000)
    expect(answer).not.toHaveProperty('rule_ttl_s')
  })

  it('given at the same time count once, also when the store is slow', async () => {
    const { approval_id } = await asked()
    slowDown(running.store)
    const answers = await Promise.all(
      ['approved', 'denied', 'approved', 'denied'].map(decision =>
        running.json('POST', `/api/approvals/${approval_id}`, { decision }),
      ),
    )
    expect(answers.filter(answer => answer.body.first)).toHaveLength(1)
    expect(new Set(answers.map(answer => answer.body.decision)).size).toBe(1)
  })

  it('can be answered on the chat stream', async () => {
    const { session_id, approval_id } = await asked()
    const frames = await readFrames(
      await running.chat({ session_id, approvals: [{ approval_id, approved: false }] }),
    )
    expect(frames.find(f => f.data.type === 'result')?.data.data.result).toBe('got denied')
  })

  it('are 404 without a question, and reject edited arguments where they are not allowed', async () => {
    const { session_id, approval_id } = await asked()
    for (const id of ['nope', 'apr_nope.1', `apr_${session_id}.zzz`]) {
      const { status, body } = await running.json('POST', `/api/approvals/${id}`, { decision: 'approved' })
      expect([status, body.error.code]).toEqual([404, 'approval_not_found'])
    }
    const edit = await running.json('POST', `/api/approvals/${approval_id}`, {
      decision: 'approved',
      input: { a: 1 },
    })
    expect(edit.status).toBe(400)
  })
})

describe('cancel', () => {
  it('ends a running run with a cancelled result', async () => {
    const session_id = await running.newSession()
    const response = await running.chat({ session_id, message: 'gate' })
    const reading = readFrames(response)
    await readUntil(await fetch(`${running.url}/api/sessions/${session_id}/events?wire=chat`), seen =>
      types(seen).includes('text_delta'),
    )
    expect((await running.json('POST', `/api/sessions/${session_id}/cancel`)).body.cancelled).toBe(true)
    expect(lastSubtype(await reading)).toBe('cancelled')
    expect((await running.json('POST', `/api/sessions/${session_id}/cancel`)).body.cancelled).toBe(false)
  })
})

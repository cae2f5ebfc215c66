import { threadNo } from '@toolwire/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { find, get, post, type Reply, textOf, typesOf } from './thread-client.ts'
import { CLIENT_TOOLS, startThreadServer, type ThreadServer } from './thread-server.ts'

const script = {
  hello: [{ thinking: 'hm', text: 'Hello you.' }],
  weather: [{ text: 'Let me see.', calls: [['get_weather', { city: 'Taipei' }]] }, { text: 'Sunny today.' }],
  broken: [{ calls: [['get_weather', { city: 'Atlantis' }]] }],
  client: [{ text: 'Sure.', calls: [['set_temperature', { value: 0.8 }]] }],
  two: [
    {
      calls: [
        ['set_temperature', { value: 1 }],
        ['get_weather', { city: 'Taipei' }],
        ['set_model', { model: 'x' }],
      ],
    },
  ],
  note: [{ calls: [['write_note', { text: 'hi' }]] }],
  fails: [{ text: 'So', error: true }],
} as const

let server: ThreadServer
beforeAll(async () => {
  server = await startThreadServer({ script })
})
afterAll(() => server.close())

const send = (body: object, headers?: Record<string, string>): Promise<Reply> =>
  post(`${server.url}/v4/response`, body, headers)
const paused = async (input: string) => {
  const { events } = await send({ input, tools: CLIENT_TOOLS, stream: true })
  return {
    events,
    pause: find(events, 'conversation.paused'),
    thread_id: find(events, 'conversation.started').thread_id,
  }
}

describe('a message', () => {
  it('starts a thread and streams named events when the field says so', async () => {
    const { status, headers, events } = await send({ input: 'hello', stream: true })
    expect(status).toBe(200)
    expect(headers.get('content-type')).toContain('text/event-stream')
    expect(headers.get('x-request-id')).toBeTruthy()
    for (const event of events) expect(event.event).toBe(event.type)
    // Deltas that wait for the same commit become one: how many chunks there are is a matter of timing.
    const types = typesOf(events).filter((type, i, all) => type !== all[i - 1])
    expect(types).toEqual([
      'conversation.started',
      'conversation.data',
      'iteration.started',
      'model.in_progress',
      'conversation.data',
      'reasoning.started',
      'reasoning.chunk',
      'reasoning.completed',
      'text.started',
      'text.chunk',
      'text.completed',
      'iteration.completed',
      'conversation.completed',
    ])
  })

  it('is answered as events or as JSON: by the field, then by the Accept header, then as JSON', async () => {
    const accept = { accept: 'text/event-stream' }
    expect((await send({ input: 'hello' }, accept)).events.length).toBeGreaterThan(0)
    expect((await send({ input: 'hello', stream: false }, accept)).body.outputs).toBeDefined()
    expect((await send({ input: 'hello' })).body).toMatchObject({
      outputs: [{ type: 'output_text', text: 'Hello you.' }],
      status: 'success',
      token_usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
    })
  })

  it('continues its thread by number, by the same number as text, and by the id of the session', async () => {
    const first = (await send({ input: 'hello' })).body
    const { body } = await get(`${server.url}/v4/threads/${first.thread_id}`)
    expect(threadNo(body.session_id)).toBe(first.thread_id)
    for (const thread_id of [first.thread_id, String(first.thread_id), body.session_id]) {
      const next = (await send({ message: 'weather', thread_id })).body
      expect(next).toMatchObject({ thread_id: first.thread_id, outputs: [{ text: 'Sunny today.' }] })
    }
  })

  it('runs the tools of the server inside its answer', async () => {
    const { events } = await send({ input: 'weather', stream: true })
    expect(typesOf(events).filter(type => type.startsWith('tool.'))).toEqual([
      'tool.preparing',
      'tool.call',
      'tool.progress',
      'tool.result',
    ])
    expect(find(events, 'tool.result')).toMatchObject({
      success: true,
      output: '{"city":"Taipei","temperature":25}',
    })
  })

  it('continues after a failed tool', async () => {
    const { events } = await send({ input: 'broken', stream: true })
    const tools = typesOf(events).filter(type => /^tool\.(error|result)$/.test(type))
    expect(tools).toEqual(['tool.error', 'tool.result'])
    expect(find(events, 'tool.result')).toMatchObject({ success: false, output: '{"error":"No such city."}' })
    expect(find(events, 'conversation.completed').status).toBe('partial_success')
  })

  it('sent twice with one Idempotency-Key is one message in one thread', async () => {
    const headers = { 'idempotency-key': 'only-once' }
    const [first, second] = await Promise.all([
      send({ input: 'hello' }, headers),
      send({ input: 'hello' }, headers),
    ])
    expect(second.body).toEqual(first.body)
    const { events } = await get(`${server.url}/v4/threads/${first.body.thread_id}/events`)
    expect(typesOf(events).filter(type => type === 'conversation.started')).toHaveLength(1)
  })

  it('whose run fails is an HTTP error that names its thread, or an event', async () => {
    const { status, body } = await send({ input: 'fails' }, { 'x-request-id': 'req-7' })
    expect(status).toBe(529)
    expect(body).toMatchObject({
      error: { code: 'PROVIDER_ERROR', message: 'Overloaded.', retryable: true, request_id: 'req-7' },
      status: 'with_errors',
    })
    expect(body.thread_id).toEqual(expect.any(Number))
    const { events } = await send({ input: 'fails', stream: true })
    expect(typesOf(events).slice(-2)).toEqual(['conversation.error', 'conversation.completed'])
  })
})

describe('a client tool', () => {
  it('pauses the conversation, and its output resumes it', async () => {
    const { events, pause, thread_id } = await paused('client')
    expect(typesOf(events)).not.toContain('tool.call')
    expect(pause).toMatchObject({ reason: 'client_tool_execution', thread_id })
    const [tool] = pause.pending_tools
    expect(JSON.parse(tool.arguments)).toEqual({ value: 0.8 })
    const tool_outputs = [{ call_id: tool.call_id, output: '{"success":true}' }]
    const second = await send({ thread_id, tool_outputs, stream: true })
    expect(typesOf(second.events)[0]).toBe('conversation.resumed')
    expect(find(second.events, 'conversation.resumed').conversation_id).toBe(pause.conversation_id)
    expect(find(second.events, 'iteration.started').iteration).toBe(1)
    expect(textOf(second.events)).toBe('got {"success":true}')
  })

  it('is listed in the JSON answer and by the thread, for a page that comes back', async () => {
    const { body } = await send({ input: 'client', tools: CLIENT_TOOLS })
    expect(body).toMatchObject({
      status: 'paused',
      reason: 'client_tool_execution',
      outputs: [{ type: 'output_text', text: 'Sure.' }],
      pending_tools: [{ name: 'set_temperature', arguments: '{"value":0.8}' }],
    })
    const thread = await get(`${server.url}/v4/threads/${body.thread_id}`)
    expect(thread.body).toMatchObject({ status: 'paused', pending_tools: body.pending_tools })
  })

  it('waits beside others: server tools run, partial outputs are kept, the pause names the rest', async () => {
    const { events, pause, thread_id } = await paused('two')
    expect(find(events, 'tool.result').name).toBe('get_weather')
    expect(pause.pending_tools).toHaveLength(2)
    const [first, second] = pause.pending_tools
    const partial = await send({ thread_id, tool_outputs: [{ call_id: second.call_id, output: '"B"' }] })
    expect(partial.body).toMatchObject({ status: 'paused', pending_tools: [first] })
    const last = await send({ thread_id, tool_outputs: [{ call_id: first.call_id, output: '"A"' }] })
    expect(last.body.status).toBe('success')
    // Results go back in the order of the calls, whatever the order of the answers.
    expect(last.body.outputs[0].text).toBe('got "A" | {"city":"Taipei","temperature":25} | "B"')
  })

  it('takes all outputs at once', async () => {
    const { pause, thread_id } = await paused('two')
    const tool_outputs = pause.pending_tools.map((tool: { call_id: string }) => ({ ...tool, output: '1' }))
    expect((await send({ thread_id, tool_outputs })).body.status).toBe('success')
  })

  it('answered twice at the same time by parts ends in one answer that has everything', async () => {
    const { pause, thread_id } = await paused('two')
    const replies = await Promise.all(
      pause.pending_tools.map((tool: { call_id: string }) =>
        send({ thread_id, tool_outputs: [{ call_id: tool.call_id, output: '1' }] }),
      ),
    )
    const statuses = replies.map((reply: Reply) => reply.body.status)
    expect(statuses).toContain('success')
    for (const { body } of replies) if (body.status === 'paused') expect(body.pending_tools).toHaveLength(1)
  })

  it('that the client could not run is reported as a failure', async () => {
    const { pause, thread_id } = await paused('client')
    const output = '{"success":false,"error":"no such element"}'
    const tool_outputs = [{ call_id: pause.pending_tools[0].call_id, output }]
    const { events } = await send({ thread_id, tool_outputs, stream: true })
    expect(find(events, 'tool.result')).toMatchObject({ success: false, output })
  })
})

describe('outputs', () => {
  const answered = async () => {
    const { pause, thread_id } = await paused('client')
    const { call_id } = pause.pending_tools[0]
    const first = await send({ thread_id, tool_outputs: [{ call_id, output: '1' }], stream: true })
    return { thread_id, call_id, first }
  }

  it('repeated with the same text are answered with the stored outcome', async () => {
    const { thread_id, call_id, first } = await answered()
    const asked = server.requests.length
    const again = await send({ thread_id, tool_outputs: [{ call_id, output: '1' }], stream: true })
    expect(again.status).toBe(200)
    expect(again.events).toEqual(first.events)
    expect(server.requests.length).toBe(asked)
  })

  it('that contradict a recorded one are refused', async () => {
    const { thread_id, call_id } = await answered()
    const { status, body } = await send({ thread_id, tool_outputs: [{ call_id, output: '2' }] })
    expect([status, body.error.code, body.error.retryable]).toEqual([409, 'ALREADY_ANSWERED', false])
  })

  it('for an unknown call, a call of the server, or of the wrong type are refused with nothing recorded', async () => {
    const { pause, thread_id } = await paused('two')
    const [open] = pause.pending_tools
    const { events } = await get(`${server.url}/v4/threads/${thread_id}/events`)
    const foreign = find(events, 'tool.call').call_id
    const good = { call_id: open.call_id, output: '1' }
    for (const [wrong, code] of [
      [{ call_id: 'call_nope', output: '1' }, 'UNKNOWN_CALL_ID'],
      [{ call_id: foreign, output: '1' }, 'NOT_A_CLIENT_TOOL'],
      [{ call_id: open.call_id, output: { success: true } }, 'INVALID_REQUEST'],
      [{ output: '1' }, 'INVALID_REQUEST'],
    ] as const) {
      const { status, body } = await send({ thread_id, tool_outputs: [good, wrong] })
      expect([status, body.error.code]).toEqual([400, code])
    }
    expect((await get(`${server.url}/v4/threads/${thread_id}`)).body.pending_tools).toHaveLength(2)
  })

  it('that are too large, or too late, have separate codes', async () => {
    const { pause, thread_id } = await paused('client')
    const { call_id } = pause.pending_tools[0]
    const large = await send({ thread_id, tool_outputs: [{ call_id, output: 'x'.repeat(4_000_001) }] })
    expect([large.status, large.body.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    await send({ thread_id, input: 'hello' })
    const late = await send({ thread_id, tool_outputs: [{ call_id, output: '1' }] })
    expect([late.status, late.body.error.code]).toEqual([409, 'EXPIRED'])
  })
})

describe('an approval', () => {
  it('pauses, and the decision runs the call with the arguments that the person gave', async () => {
    const { events, pause, thread_id } = await paused('note')
    expect(find(events, 'tool.call').name).toBe('write_note')
    expect(pause).toMatchObject({
      reason: 'tool_approval_required',
      pending_approvals: [{ name: 'write_note', arguments: '{"text":"hi"}' }],
    })
    const { call_id } = pause.pending_approvals[0]
    const tool_approvals = [{ call_id, approved: true, arguments: '{"text":"bye"}' }]
    const second = await send({ thread_id, tool_approvals, stream: true })
    expect(typesOf(second.events).slice(0, 3)).toEqual([
      'conversation.resumed',
      'tool.approved',
      'tool.result',
    ])
    expect(server.ran).toContain('write_note bye')
    expect(server.ran).not.toContain('write_note hi')
  })

  it('that is denied gives the model the reason', async () => {
    const { pause, thread_id } = await paused('note')
    const { call_id } = pause.pending_approvals[0]
    const tool_approvals = [{ call_id, approved: false, reason: 'not now please' }]
    const { events } = await send({ thread_id, tool_approvals, stream: true })
    expect(find(events, 'tool.denied')).toMatchObject({ call_id, reason: 'not now please' })
    expect(find(events, 'tool.result').success).toBe(false)
    expect(JSON.stringify(server.requests.at(-1)?.messages.at(-1))).toContain('not now please')
  })

  it('answered again gives the first decision: the same is fine, another is refused', async () => {
    const { pause, thread_id } = await paused('note')
    const { call_id } = pause.pending_approvals[0]
    const yes = { thread_id, tool_approvals: [{ call_id, approved: true }], stream: true }
    const first = await send(yes)
    expect((await send(yes)).events).toEqual(first.events)
    const no = await send({ thread_id, tool_approvals: [{ call_id, approved: false }] })
    expect(no.status).toBe(409)
    expect(no.body.error).toMatchObject({
      code: 'ALREADY_ANSWERED',
      details: { call_id, decision: 'approved' },
    })
  })

  it('of a call that waits for none, or of no call, is refused', async () => {
    const { pause, thread_id } = await paused('client')
    const { call_id } = pause.pending_tools[0]
    const none = await send({ thread_id, tool_approvals: [{ call_id, approved: true }] })
    expect([none.status, none.body.error.code]).toEqual([404, 'APPROVAL_NOT_FOUND'])
    const unknown = await send({ thread_id, tool_approvals: [{ call_id: 'x', approved: true }] })
    expect([unknown.status, unknown.body.error.code]).toEqual([400, 'UNKNOWN_CALL_ID'])
  })
})

describe('refusals', () => {
  it('have the shape of this wire, for every error', async () => {
    const cases = [
      [send({}), 400, 'INVALID_REQUEST'],
      [send({ input: 5 }), 400, 'INVALID_REQUEST'],
      [send({ input: 'x', thread_id: 281_474_976_710_655 }), 404, 'THREAD_NOT_FOUND'],
      [send({ input: 'x', thread_id: 'nobody' }), 404, 'THREAD_NOT_FOUND'],
      [send({ tool_outputs: [{ call_id: 'a', output: '1' }] }), 400, 'INVALID_REQUEST'],
      [get(`${server.url}/v4/nothing`), 404, 'NOT_FOUND'],
      [get(`${server.url}/v4/prepare`), 405, 'METHOD_NOT_ALLOWED'],
      [get(`${server.url}/v4/response/run_nonsense`), 404, 'NOT_FOUND'],
    ] as const
    for (const [reply, status, code] of cases) {
      const { status: got, body } = await reply
      expect([got, body.error.code]).toEqual([status, code])
      expect(body.error).toMatchObject({
        message: expect.any(String),
        retryable: expect.any(Boolean),
        request_id: expect.any(String),
      })
    }
  })

  it('of a body that is not JSON too', async () => {
    const response = await fetch(`${server.url}/v4/response`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"input":',
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { code: 'INVALID_REQUEST' } })
  })
})

/** Calls that wait for a person: asked over MCP where the client and its key may, else left to the inbox. */
import type { Client, ElicitResult } from '@modelcontextprotocol/client'
import { afterEach, describe, expect, it } from 'vitest'
import { postMcp } from './post-mcp.ts'
import {
  connectClient,
  ERAS,
  type Era,
  type McpServerUnderTest,
  type McpTestOptions,
  serveMcp,
} from './serve-mcp.ts'

let server: McpServerUnderTest | undefined
const clients: Client[] = []
afterEach(async () => {
  await Promise.all(clients.splice(0).map(client => client.close()))
  await server?.close()
  server = undefined
})

type Answer = (message: string) => ElicitResult | Promise<ElicitResult>
const CHANGE = { name: 'Change', arguments: { what: 'it' } }

async function start(
  era: Era,
  scopes: readonly ('mcp' | 'approve')[],
  answer?: Answer,
  options: McpTestOptions = {},
) {
  server = await serveMcp(options)
  const key = await server.newKey({ scopes: [...scopes] })
  const asked: string[] = []
  const client = await connectClient(server, key, {
    era,
    elicits: answer !== undefined,
    prepare(one) {
      if (answer)
        one.setRequestHandler('elicitation/create', async ({ params }) => {
          asked.push(params.message)
          return await answer(params.message)
        })
    },
  })
  clients.push(client)
  return { running: server, client, asked, key }
}

const approve = (): ElicitResult => ({ action: 'accept', content: { decision: 'approve' } })

/** Waits for an item in the inbox, and returns its id. */
async function pendingId(running: McpServerUnderTest, inbox: string): Promise<string> {
  for (;;) {
    const { body } = await running.as(inbox, 'GET', '/api/pending')
    if (body.pending.length > 0) return body.pending[0].id
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}

describe.each(ERAS)('in the %s era', era => {
  it('runs a call that the client approves, once', async () => {
    const { client, running, asked } = await start(era, ['mcp', 'approve'], approve)
    const result = await client.callTool(CHANGE)
    expect(result.content).toEqual([{ type: 'text', text: 'changed it' }])
    expect(asked).toEqual([expect.stringContaining('Allow Change?\n')])
    expect(asked[0]).toContain('{"what":"it"}')
    expect(running.ran).toEqual({ Change: 1 })
  })

  it.each([
    ['declined', { action: 'decline' }],
    ['denied', { action: 'accept', content: { decision: 'deny' } }],
  ] as const)('does not run a call that was %s', async (_, answer) => {
    const { client, running } = await start(era, ['mcp', 'approve'], () => ({ ...answer }) as ElicitResult)
    const result = await client.callTool(CHANGE)
    expect(result.isError).toBe(true)
    expect(running.ran).toEqual({})
  })

  it('leaves a question that was put aside to the inbox', async () => {
    const { client, running } = await start(era, ['mcp', 'approve'], () => ({ action: 'cancel' }))
    const meta = { _meta: { 'toolwire/idempotency_key': 'later' } }
    const result = await client.callTool({ ...CHANGE, ...meta })
    const inbox = await running.newKey({ scopes: ['read', 'approve'] })
    const id = await pendingId(running, inbox)
    expect(result).toMatchObject({ isError: true, _meta: { 'toolwire/pending': [{ id, kind: 'approval' }] } })
    await running.as(inbox, 'POST', `/api/approvals/${id}`, { decision: 'approved' })
    const later = await client.callTool({ ...CHANGE, ...meta })
    expect(later.content).toEqual([{ type: 'text', text: 'changed it' }])
    expect(running.ran).toEqual({ Change: 1 })
  })

  it('asks no client whose key may not approve: the inbox decides', async () => {
    const { client, running, asked } = await start(era, ['mcp'], approve)
    const waiting = client.callTool(CHANGE)
    const inbox = await running.newKey({ scopes: ['read', 'approve'] })
    const id = await pendingId(running, inbox)
    expect(running.ran).toEqual({})
    await running.as(inbox, 'POST', `/api/approvals/${id}`, { decision: 'approved' })
    expect((await waiting).content).toEqual([{ type: 'text', text: 'changed it' }])
    expect(asked).toEqual([])
  })

  it('names the item when the client cannot be asked and the inbox stays silent', async () => {
    const { client, running } = await start(era, ['mcp', 'approve'], undefined, { inboxMs: 20 })
    const result = await client.callTool(CHANGE)
    expect(result.isError).toBe(true)
    const inbox = await running.newKey({ scopes: ['read'] })
    expect(JSON.stringify(result.content)).toContain(await pendingId(running, inbox))
  })
})

it('takes a question of the older era back when the inbox decides first', async () => {
  const { client, running, asked } = await start(
    'legacy',
    ['mcp', 'approve'],
    () => new Promise<never>(() => {}),
  )
  const waiting = client.callTool(CHANGE)
  const inbox = await running.newKey({ scopes: ['read', 'approve'] })
  const id = await pendingId(running, inbox)
  await running.as(inbox, 'POST', `/api/approvals/${id}`, { decision: 'approved' })
  expect((await waiting).content).toEqual([{ type: 'text', text: 'changed it' }])
  expect(asked.length).toBeLessThanOrEqual(1)
})

it('asks on the stream of the call, for clients of the older era that open no other', async () => {
  server = await serveMcp()
  const key = await server.newKey({ scopes: ['mcp', 'approve'] })
  const endpoint = `${server.url}/mcp`
  const post = (body: object, session?: string) =>
    fetch(endpoint, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(session === undefined ? {} : { 'mcp-session-id': session }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...body }),
    })
  const capabilities = { elicitation: {} }
  const clientInfo = { name: 'raw', version: '1' }
  const params = { protocolVersion: '2025-11-25', capabilities, clientInfo }
  const opened = await post({ id: 1, method: 'initialize', params })
  const session = opened.headers.get('mcp-session-id') ?? ''
  await opened.text()
  await post({ method: 'notifications/initialized' }, session)
  const { body } = await post({ id: 2, method: 'tools/call', params: CHANGE }, session)
  let stream = ''
  for await (const chunk of body ?? []) {
    stream += Buffer.from(chunk).toString()
    const question = /^data: (.*"elicitation\/create".*)$/m.exec(stream)?.[1]
    if (question === undefined || stream.includes('"asked":')) continue
    stream += '"asked":'
    await post({ id: JSON.parse(question).id, result: approve() }, session)
  }
  expect(stream).toContain('changed it')
})

describe('the state of the newer era', () => {
  const capabilities = { elicitation: { form: {} } }

  const call = (running: McpServerUnderTest, key: string, more: object = {}) =>
    postMcp(running, key, { method: 'tools/call', params: { ...CHANGE, ...more }, capabilities })
  async function ask() {
    server = await serveMcp()
    const running = server
    const key = await running.newKey({ scopes: ['mcp', 'approve'] })
    const first = await call(running, key)
    const { requestState, inputRequests } = first.result
    const [id = ''] = Object.keys(inputRequests)
    const answered = { requestState, inputResponses: { [id]: approve() } }
    return { running, key, id, first, requestState, answered }
  }

  it('continues that call, and gives the same result again', async () => {
    const { running, key, answered, first } = await ask()
    expect(first.result.resultType).toBe('input_required')
    const results = [await call(running, key, answered), await call(running, key, answered)]
    expect(results[0].result.content).toEqual([{ type: 'text', text: 'changed it' }])
    expect(results[1]).toEqual(results[0])
    expect(running.ran).toEqual({ Change: 1 })
    expect((await running.store.list({ limit: 10 })).items).toHaveLength(1)
  })

  it('asks again while no answer comes, and ignores answers to anything else', async () => {
    const { running, key, id, requestState } = await ask()
    for (const inputResponses of [{}, { other: approve() }, { [id]: { action: 'accept', content: {} } }]) {
      const { result } = await call(running, key, { requestState, inputResponses })
      expect(Object.keys(result.inputRequests)).toEqual([id])
    }
    expect(running.ran).toEqual({})
  })

  it('is refused when it was changed, and from another key, of the same owner too', async () => {
    const { running, key, answered } = await ask()
    const middle = Math.floor(answered.requestState.length / 2)
    const flipped = answered.requestState[middle] === 'A' ? 'B' : 'A'
    const tampered =
      answered.requestState.slice(0, middle) + flipped + answered.requestState.slice(middle + 1)
    const others = await Promise.all([
      running.newKey({ scopes: ['mcp', 'approve'] }),
      running.newKey({ scopes: ['mcp', 'approve'], owner: 'beta' }),
    ])
    const refused = [
      await call(running, key, { ...answered, requestState: tampered }),
      await call(running, key, { ...answered, requestState: 'nonsense' }),
      ...(await Promise.all(others.map(other => call(running, other, answered)))),
    ]
    for (const { error } of refused) expect(error.code).toBe(-32602)
    expect(running.ran).toEqual({})
  })

  it('holds no content of the call', async () => {
    const { requestState } = await ask()
    const payload = Buffer.from(requestState.split('.')[1], 'base64url').toString()
    expect(payload).not.toContain('what')
    expect(JSON.parse(payload).exp * 1000).toBeGreaterThan(Date.now() + 23 * 3_600_000)
  })
})

/** `/mcp` with the official client, in both eras: what is offered, calls, and what is refused. */
import type { Client } from '@modelcontextprotocol/client'
import { afterEach, describe, expect, it } from 'vitest'
import { connectClient, ERAS, type McpServerUnderTest, type McpTestOptions, serveMcp } from './serve-mcp.ts'

let server: McpServerUnderTest | undefined
const clients: Client[] = []
afterEach(async () => {
  await Promise.all(clients.splice(0).map(client => client.close()))
  await server?.close()
  server = undefined
})

async function start(options: McpTestOptions = {}): Promise<McpServerUnderTest> {
  server = await serveMcp(options)
  return server
}

describe.each(ERAS)('in the %s era', era => {
  async function connect(options: McpTestOptions = {}, scopes = ['mcp'] as const) {
    const running = await start(options)
    const key = await running.newKey({ scopes: [...scopes] })
    const client = await connectClient(running, key, { era })
    clients.push(client)
    return { running, key, client }
  }

  it('offers the tools that the configuration names, and no others', async () => {
    const { client } = await connect()
    const { tools } = await client.listTools()
    expect(tools.map(tool => tool.name)).toEqual(['Echo', 'Change', 'Slow'])
    expect(tools[0]).toMatchObject({
      description: 'Says it again',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
    })
  })

  it('makes a call in a session, with its log, ids and structured result', async () => {
    const { client, running } = await connect()
    const progress: unknown[] = []
    const result = await client.callTool(
      { name: 'Echo', arguments: { text: 'hello' } },
      { onprogress: one => progress.push(one) },
    )
    expect(result).toMatchObject({
      content: [{ type: 'text', text: 'hello' }],
      structuredContent: { text: 'hello' },
    })
    expect(progress).toEqual([{ progress: 1, total: 2, message: 'half' }])
    const session = String(result._meta?.['toolwire/session_id'])
    const records = await running.store.read(session, 0, 100)
    expect(records.find(({ ev }) => ev.type === 'input.message')?.ev).toMatchObject({
      via: { protocol: 'mcp', key: expect.any(String) },
    })
    const completed = records.find(({ ev }) => ev.type === 'tool.completed')?.ev
    expect(completed).toMatchObject({ call_id: result._meta?.['toolwire/call_id'] })
  })

  it.each(['Hidden', 'Nothing', 'toString'])('does not call %s', async name => {
    const { client, running } = await connect()
    await expect(client.callTool({ name, arguments: {} })).rejects.toMatchObject({ code: -32602 })
    expect(running.ran).toEqual({})
    expect((await running.store.list({ limit: 10 })).items).toEqual([])
  })

  it('returns arguments that do not fit as an error result', async () => {
    const { client } = await connect()
    const result = await client.callTool({ name: 'Echo', arguments: { text: 1 } })
    expect(result.isError).toBe(true)
  })

  it('starts one call for one idempotency key', async () => {
    const { client, running } = await connect()
    const call = (text: string) =>
      client.callTool({ name: 'Echo', arguments: { text }, _meta: { 'toolwire/idempotency_key': 'k1' } })
    const first = await call('a')
    expect(await call('a')).toEqual(first)
    expect(running.ran).toEqual({ Echo: 1 })
    await expect(call('b')).rejects.toMatchObject({ code: -32602 })
  })
})

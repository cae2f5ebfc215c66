/** The in-process server and its names, without any program behind them. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createGatewayServer, withoutRootUnion } from '../src/gateway-server.ts'
import type { RpcMessage, RpcTransport } from '../src/sdk.ts'
import { createToolNames } from '../src/tool-names.ts'

const schema = {
  type: 'object',
  properties: { at: { $ref: '#/$defs/place' } },
  $defs: { place: { type: 'string' } },
}

async function connected(call: (id: string) => Promise<{ content: readonly [] }>) {
  const tools = [{ name: 'look.up', description: 'looks', input_schema: schema }]
  const server = createGatewayServer(tools, createToolNames(['look.up']), call)
  const sent: RpcMessage[] = []
  const transport: RpcTransport = { send: async message => void sent.push(message) }
  await server.connect(transport)
  return { sent, send: (message: RpcMessage) => transport.onmessage?.({ jsonrpc: '2.0', ...message }) }
}

describe('the gateway server', () => {
  test('lists tools with their schemas as they are, all of them safe to call at once', async () => {
    const { sent, send } = await connected(() => Promise.reject(new Error('never')))
    send({ id: 1, method: 'tools/list' })
    await expect.poll(() => sent).toHaveLength(1)
    expect(sent[0]).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {
        tools: [
          { name: 'look_up', description: 'looks', inputSchema: schema, annotations: { readOnlyHint: true } },
        ],
      },
    })
  })

  test('keeps calls apart by the id of the tool use, and answers them in any order', async () => {
    const open = new Map<string, PromiseWithResolvers<{ content: readonly [] }>>()
    const { sent, send } = await connected(id => {
      open.set(id, Promise.withResolvers())
      return open.get(id)?.promise ?? Promise.reject(new Error('lost'))
    })
    for (const [id, use] of [
      [1, 'toolu_1'],
      [2, 'toolu_2'],
    ] as const)
      send({
        id,
        method: 'tools/call',
        params: { name: 'look_up', arguments: {}, _meta: { 'claudecode/toolUseId': use } },
      })
    expect([...open.keys()]).toEqual(['toolu_1', 'toolu_2'])
    open.get('toolu_2')?.resolve({ content: [] })
    await expect.poll(() => sent.map(message => message['id'])).toEqual([2])
    open.get('toolu_1')?.resolve({ content: [] })
    await expect.poll(() => sent.map(message => message['id'])).toEqual([2, 1])
  })

  test('says nothing to notifications, and that it does not know a method it does not know', async () => {
    const { sent, send } = await connected(() => Promise.reject(new Error('never')))
    send({ method: 'notifications/initialized' })
    send({ id: 3, method: 'resources/list' })
    await expect.poll(() => sent).toHaveLength(1)
    expect(sent[0]).toMatchObject({ id: 3, error: { code: -32601 } })
  })
})

test('a union at the root of a schema becomes properties, and is described in text', () => {
  const branch = (name: string) => ({ properties: { [name]: { type: 'string' } }, required: [name] })
  const { schema: flat, note } = withoutRootUnion({
    oneOf: [branch('id'), branch('name')],
    description: 'which',
  })
  expect(flat).toEqual({
    type: 'object',
    description: 'which',
    properties: { id: { type: 'string' }, name: { type: 'string' } },
  })
  expect(note).toContain('"required":["name"]')
})

describe('names', () => {
  test('legal ones stay, and no two become one', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ minLength: 1, maxLength: 130 }), { maxLength: 20 }), names => {
        const map = createToolNames(names)
        const made = names.map(map.toGateway)
        expect(new Set(made).size).toBe(names.length)
        for (const name of made) expect(name).toMatch(/^[A-Za-z0-9_-]{1,100}$/)
        for (const name of names) {
          if (/^[A-Za-z0-9_-]{1,100}$/.test(name)) expect(map.toGateway(name)).toBe(name)
          expect(map.fromModel(map.toModel(name))).toBe(name)
        }
      }),
    )
  })

  test('a name without the prefix is the child’s own', () => {
    expect(createToolNames(['Bash']).fromModel('Bash')).toBe('Bash')
    expect(createToolNames(['a.b', 'a_b']).toModel('a.b')).toBe('mcp__gateway__a_b_2')
  })
})

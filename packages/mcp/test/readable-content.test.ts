import { InMemoryTransport } from '@modelcontextprotocol/client'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { textOf } from '../../tools/test/stage.ts'
import { toReadable } from '../src/readable-content.ts'
import { closeAll, isReady, stageOf, start, until } from './stage-mcp.ts'

afterEach(closeAll)

const result = (given: unknown): unknown =>
  (toReadable({ id: 1, result: given }) as { result: unknown }).result

describe('a result', () => {
  test('stays the same object while all of its content is known', () => {
    const message = { jsonrpc: '2.0', id: 1, result: { tools: [] } }
    expect(toReadable(message)).toBe(message)
    const text = { content: [{ type: 'text', text: 'a' }], structuredContent: { n: 1 }, isError: true }
    expect(result(text)).toEqual(text)
  })

  test('of a prompt or a resource keeps its other parts', () => {
    const text = { type: 'text', text: 'hi' }
    expect(
      result({
        messages: [
          { role: 'user', content: { type: 'hologram' } },
          { role: 'assistant', content: [text, text] },
        ],
      }),
    ).toEqual({
      messages: [
        {
          role: 'user',
          content: {
            type: 'text',
            text: '[Content of the type "hologram", which Toolwire cannot read: {"type":"hologram"}]',
          },
        },
        { role: 'assistant', content: text },
        { role: 'assistant', content: text },
      ],
    })
    const known = { uri: 'a:b', text: 'inside' }
    expect(result({ contents: [known, { uri: 'c:d', stream: 1 }] })).toEqual({
      contents: [
        known,
        {
          uri: 'c:d',
          text: '[Content of the type "unknown", which Toolwire cannot read: {"uri":"c:d","stream":1}]',
        },
      ],
    })
  })

  test('shows only the beginning of a large unknown part', () => {
    const { content } = result({ content: [{ type: 'blob', data: 'x'.repeat(100_000) }] }) as {
      content: readonly { text: string }[]
    }
    expect(content[0]?.text.length).toBeLessThan(1_200)
    expect(content[0]?.text).toContain('(100')
  })

  test('never throws and always gives blocks that have a type', () => {
    fc.assert(
      fc.property(fc.jsonValue(), given => {
        const { content } = result({ content: given }) as { content: readonly { type: unknown }[] }
        for (const block of content) expect(typeof block.type).toBe('string')
      }),
    )
    fc.assert(fc.property(fc.jsonValue(), message => void toReadable(message)))
  })
})

test('keeps unknown content of a server of the newer era', async () => {
  const answers: Readonly<Record<string, object>> = {
    'server/discover': {
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
      serverInfo: { name: 'raw', version: '1' },
      ttlMs: 0,
      cacheScope: 'private',
    },
    'tools/list': {
      tools: [{ name: 'film', inputSchema: { type: 'object' } }],
      ttlMs: 0,
      cacheScope: 'private',
    },
    'tools/call': { content: [{ type: 'video', minutes: 3 }] },
  }
  const asked: string[] = []
  const mcp = start({
    raw: {
      type: 'in_process',
      async connect() {
        const [ours, theirs] = InMemoryTransport.createLinkedPair()
        theirs.onmessage = message => {
          const { id, method = '' } = message as { readonly id?: number; readonly method?: string }
          asked.push(method)
          if (id !== undefined)
            void theirs.send({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...answers[method] } })
        }
        await theirs.start()
        return ours
      },
    },
  })
  await until(mcp, isReady(mcp))
  const call = await stageOf(mcp).one('mcp__raw__film', {})
  expect(textOf(call)).toBe(
    '[Content of the type "video", which Toolwire cannot read: {"type":"video","minutes":3}]',
  )
  expect(asked).not.toContain('initialize')
})

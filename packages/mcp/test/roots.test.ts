import { InMemoryTransport } from '@modelcontextprotocol/client'
import { afterEach, describe, expect, test } from 'vitest'
import { textOf } from '../../tools/test/stage.ts'
import { closeAll, isReady, program, stageOf, start, until } from './stage-mcp.ts'

afterEach(closeAll)

async function ask(server: ReturnType<typeof program>, tool: string) {
  const mcp = start({ one: server })
  await until(mcp, isReady(mcp))
  const stage = stageOf(mcp)
  return { stage, said: textOf(await stage.one(`mcp__one__${tool}`, {})) }
}

describe('a server that takes its folder from its arguments', () => {
  const server = () => program('folder-server.ts', '/srv/data')

  test('keeps it when its entry offers no roots', async () => {
    expect((await ask({ ...server(), roots: false }, 'folder')).said).toBe('/srv/data')
  })

  test('gets the workspace otherwise', async () => {
    const { stage, said } = await ask(server(), 'folder')
    expect(said).toBe(`file://${stage.workspace}`)
  })
})

test('a server of the newer era gets no folders either when its entry offers no roots', async () => {
  const { said } = await ask({ ...program('stdio-server.ts'), roots: false }, 'where')
  expect(said).not.toContain('file:')
  expect(said).toMatch(/roots|folders/)
})

test('a server of the newer era that asks all the same gets no folders', async () => {
  const offer = { ttlMs: 0, cacheScope: 'private' }
  const results: Readonly<Record<string, Record<string, unknown>>> = {
    'server/discover': {
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
      serverInfo: { name: 'raw', version: '1' },
      ...offer,
    },
    'tools/list': { tools: [{ name: 'where', inputSchema: { type: 'object' } }], ...offer },
  }
  const rounds: unknown[] = []
  function toResult(method: string, params: unknown): Record<string, unknown> {
    if (method !== 'tools/call') return { resultType: 'complete', ...results[method] }
    rounds.push(params)
    return { resultType: 'input_required', inputRequests: { folders: { method: 'roots/list' } } }
  }
  const mcp = start({
    raw: {
      type: 'in_process',
      roots: false,
      async connect() {
        const [ours, theirs] = InMemoryTransport.createLinkedPair()
        theirs.onmessage = message => {
          const { id, method = '', params } = message as { id?: number; method?: string; params?: unknown }
          if (id !== undefined) void theirs.send({ jsonrpc: '2.0', id, result: toResult(method, params) })
        }
        await theirs.start()
        return ours
      },
    },
  })
  await until(mcp, isReady(mcp))
  const call = await stageOf(mcp).one('mcp__raw__where', {})
  expect(call.outcome?.is_error).toBe(true)
  expect(textOf(call)).toContain('folders')
  expect(rounds).toHaveLength(1)
  expect(JSON.stringify(rounds)).not.toContain('file:')
})

/**
 * The other ways in which an MCP server is heard, with random wounds: answers as event streams, in any pieces; lines of
 * a program; and what an authorization server says of itself, of a client and of its tokens. Whatever comes, the server is
 * ready or says why not, and nothing is thrown past the connection.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { bombed } from '../../core/test/bombs.ts'
import { fuzzing, inPieces, mutatedJson, mutatedText } from '../../core/test/mutate.ts'
import { codeOf, textOf } from '../../tools/test/stage.ts'
import type { McpTools } from '../src/create-mcp-tools.ts'
import { serveBehindOAuth } from './fake-authorization.ts'
import { closeServers, listen } from './http-servers.ts'
import { closeAll, program, stageOf, start, until } from './stage-mcp.ts'

// Each unanswered damage costs its timeout.
vi.setConfig({ testTimeout: 400_000 })
let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolwire-fuzz-mcp-'))
})
afterEach(closeAll)
afterEach(closeServers)
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const BRIEFLY = { startup_timeout_ms: 400, timeout_ms: 300 }
/** A program has to start first. */
const STARTED = { startup_timeout_ms: 2000, timeout_ms: 300 }
const RESULTS: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'x', version: '1' },
    instructions: 'Be kind.',
  },
  'tools/list': {
    tools: [{ name: 'echo', description: 'd', inputSchema: { type: 'object', properties: { text: {} } } }],
  },
  'tools/call': { content: [{ type: 'text', text: 'hello' }], isError: false },
}
const METHODS = Object.keys(RESULTS)

/** A whole life: connect, list, call. What the call came to; undefined when there was nothing to call. */
async function live(mcp: McpTools): Promise<string | undefined> {
  await until(mcp, () => mcp.status()[0]?.state === 'ready' || mcp.status()[0]?.error !== undefined)
  const [status] = mcp.status()
  if (status?.state !== 'ready') expect(status?.error).toMatch(/\S/)
  JSON.stringify(mcp.tools().map(({ name, description, input_schema }) => [name, description, input_schema]))
  if (!mcp.tools().some(tool => tool.name === 'mcp__test__echo')) return undefined
  const outcome = await stageOf(mcp).one('mcp__test__echo', { text: 'hello' })
  return textOf(outcome) || codeOf(outcome)
}

/** One method, and what is said in the place of the answer to it. */
const wounds = (more: (text: string) => string): fc.Arbitrary<{ method: string; text: string }> =>
  fc.oneof(
    ...METHODS.map(method => {
      const honest = { jsonrpc: '2.0', id: '@id', result: RESULTS[method] }
      return fc.record({
        method: fc.constant(method),
        text: fc.oneof(
          {
            weight: 6,
            arbitrary: mutatedJson([honest]).map(value => more(JSON.stringify(value) ?? 'null')),
          },
          { weight: 2, arbitrary: mutatedText([more(JSON.stringify(honest))]) },
          { weight: 1, arbitrary: bombed([honest]).map(more) },
        ),
      })
    }),
  )

test('a server that answers with event streams is heard or given up, whatever one of them holds', async () => {
  let wound: { readonly method: string; readonly pieces: readonly Uint8Array[] } | undefined
  const frame = (text: string): string => `event: message\nid: 1\ndata: ${text}\n\n`
  const url = await listen((request, response) => {
    void (async () => {
      let body = ''
      for await (const chunk of request) body += String(chunk)
      if (request.method !== 'POST') return void response.writeHead(405).end()
      const { id, method } = JSON.parse(body) as { readonly id?: unknown; readonly method: string }
      if (id === undefined) return void response.writeHead(202).end()
      if (method === 'server/discover') return void response.writeHead(404).end()
      response.writeHead(200, { 'content-type': 'text/event-stream', 'mcp-session-id': 's' })
      const result = RESULTS[method] ?? {}
      if (wound?.method !== method)
        return void response.end(frame(JSON.stringify({ jsonrpc: '2.0', id, result })))
      for (const piece of wound.pieces) response.write(piece)
      response.end()
    })().catch(() => response.destroy())
  })
  const begin = (): McpTools => start({ test: { type: 'http', url, headers: {}, ...BRIEFLY } })
  expect(await live(begin())).toBe('hello')
  await closeAll()

  const wounded = wounds(frame).chain(({ method, text }) =>
    // The client numbers its requests from 0: some of the responses fit the request.
    fc.record({
      method: fc.constant(method),
      pieces: inPieces(fc.integer({ min: 0, max: 4 }).map(id => text.replaceAll('"@id"', String(id)))),
    }),
  )
  await fc.assert(
    fc.asyncProperty(wounded, async one => {
      wound = one
      const came = await live(begin())
      if (came !== undefined) expect(came).toMatch(/\S/)
      await closeAll()
    }),
    fuzzing(8),
  )
  wound = undefined
  expect(await live(begin())).toBe('hello')
})

test('a program that says anything in its lines is heard or given up', async () => {
  const file = join(folder, 'answers.json')
  const begin = (wounded: { readonly method: string; readonly text: string }): McpTools => {
    writeFileSync(file, JSON.stringify({ results: RESULTS, wounded }))
    return start({ test: { ...program('wounded-server.ts', file), ...STARTED } })
  }
  expect(await live(begin({ method: '', text: '' }))).toBe('hello')
  await closeAll()
  await fc.assert(
    fc.asyncProperty(
      wounds(text => text),
      async one => {
        const came = await live(begin(one))
        if (came !== undefined) expect(came).toMatch(/\S/)
        await closeAll()
      },
    ),
    fuzzing(5),
  )
})

test('whatever an authorization server sends, the user is asked to sign in, or gets the reason why not', async () => {
  let wound: { readonly path: string; readonly text: string } | undefined
  const answers = new Map<string, unknown>()
  const { url } = await serveBehindOAuth('', (path, honest) => {
    answers.set(path, honest)
    return wound?.path === path ? wound.text : undefined
  })
  const { origin } = new URL(url)

  /** To the end, as far as it goes: the browser follows no address but the server's own. */
  async function signIn(): Promise<McpTools> {
    const dir = mkdtempSync(join(folder, 'one-'))
    const mcp = start(
      { test: { type: 'http', url, headers: {}, ...BRIEFLY } },
      { folder: dir, redirectUrl: () => 'http://127.0.0.1:9/api/mcp/callback', onSignIn: () => {} },
    )
    const isSettled = (): boolean => {
      const [status] = mcp.status()
      return status?.state === 'ready' || status?.state === 'needs_auth' || status?.error !== undefined
    }
    await until(mcp, isSettled)
    const address = mcp.status()[0]?.authorization_url
    if (address?.startsWith(`${origin}/authorize?`)) {
      const { headers } = await fetch(address, { redirect: 'manual' })
      const { searchParams } = new URL(headers.get('location') ?? origin)
      const finished = await mcp.finishSignIn(searchParams).catch((error: unknown) => error)
      if (finished instanceof Error) expect(finished.message).toMatch(/\S/)
    }
    const [status] = mcp.status()
    if (status?.state !== 'ready' && status?.authorization_url === undefined)
      expect(status?.error ?? status?.state).toMatch(/\S/)
    return mcp
  }

  const honest = await signIn()
  await until(honest, () => honest.status()[0]?.state === 'ready')
  await closeAll()
  expect([...answers.keys()]).toEqual(expect.arrayContaining(['/register', '/token']))
  expect([...answers.keys()].filter(path => path.startsWith('/.well-known/')).length).toBeGreaterThan(1)
  const wounded = fc.oneof(
    ...[...answers].map(([path, value]) =>
      fc.record({
        path: fc.constant(path),
        text: fc.oneof(
          { weight: 4, arbitrary: mutatedJson([value]).map(one => JSON.stringify(one) ?? 'null') },
          { weight: 1, arbitrary: mutatedText([JSON.stringify(value)]) },
          { weight: 1, arbitrary: bombed([value]) },
        ),
      }),
    ),
  )
  await fc.assert(
    fc.asyncProperty(wounded, async one => {
      wound = one
      await signIn()
      await closeAll()
    }),
    fuzzing(12),
  )
})

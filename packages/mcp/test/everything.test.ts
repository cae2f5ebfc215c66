/** Against the official server that has everything, over each of its transports. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { codeOf, textOf } from '../../tools/test/stage.ts'
import type { McpServerConfig } from '../src/server-config.ts'
import { closeAll, eventually, isReady, names, stageOf, start, until } from './stage-mcp.ts'

const SERVER = join(
  dirname(fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/package.json'))),
  'dist/index.js',
)

const children: ChildProcess[] = []
afterEach(closeAll)
afterEach(async () => {
  for (const child of children.splice(0)) {
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
})

/** It cannot choose a port itself and report it. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return port
}

async function serve(transport: 'sse' | 'streamableHttp'): Promise<number> {
  const port = await freePort()
  const child = spawn(process.execPath, [SERVER, transport], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  children.push(child)
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  await eventually(() => said.includes(String(port)))
  return port
}

const WAYS: readonly (readonly [string, () => Promise<McpServerConfig>])[] = [
  ['stdio', async () => ({ type: 'stdio', command: process.execPath, args: [SERVER, 'stdio'], env: {} })],
  [
    'Streamable HTTP',
    async () => ({ type: 'http', url: `http://127.0.0.1:${await serve('streamableHttp')}/mcp`, headers: {} }),
  ],
  ['SSE', async () => ({ type: 'sse', url: `http://127.0.0.1:${await serve('sse')}/sse`, headers: {} })],
]

describe.each(WAYS)('the everything server over %s', (_, way) => {
  test('is found, called, asked and read', async () => {
    const mcp = start({ all: await way() })
    await until(mcp, isReady(mcp))
    // Tools that need what a client can do are listed once it has said so.
    await eventually(() => names(mcp).includes('mcp__all__trigger-elicitation-request'))
    const stage = stageOf(mcp)
    const text = async (tool: string, input: object) => textOf(await stage.one(`mcp__all__${tool}`, input))

    expect(await text('echo', { message: 'hello' })).toBe('Echo: hello')
    expect(await text('get-sum', { a: 2, b: 3 })).toContain('5')
    expect(await text('get-structured-content', { location: 'New York' })).toContain('temperature')
    expect(await text('get-roots-list', {})).toContain(stage.workspace)
    await stage.one('mcp__all__get-tiny-image', {})
    expect(stage.state().calls[0]?.outcome?.content).toMatchObject([{ type: 'image' }])
    expect(codeOf(await stage.one('mcp__all__get-sum', { a: 'x' }))).toBe('invalid_input')

    await text('trigger-long-running-operation', { duration: 1, steps: 4 })
    expect(stage.events('tool.progress').length).toBeGreaterThan(0)

    const asked = await stage.one('mcp__all__trigger-elicitation-request', {})
    expect(asked.approval).toMatchObject({ kind: 'question', resumes: true })
    stage.approve(asked, { answer_text: JSON.stringify({ name: 'Ada' }) })
    await stage.settle()
    expect(textOf(stage.state().calls[0])).toContain('Ada')

    const page = { url: 'https://example.com/pay', errorPath: true, elicitationId: 'one' }
    const refused = await stage.one('mcp__all__trigger-url-elicitation', page)
    expect(refused.approval).toMatchObject({ kind: 'question', url: 'https://modelcontextprotocol.io' })
    stage.approve(refused)
    await stage.settle()
    // The user has been there: the call was made again, and this time asks over the connection.
    expect(stage.state().calls[0]?.approval).toMatchObject({ kind: 'question', url: page.url })
    stage.approve(stage.state().calls[0] ?? refused)
    await stage.settle()
    expect(textOf(stage.state().calls[0])).toMatch(/accept/i)

    const listed = textOf(await stage.one('ListMcpResources', {}))
    const uri = /all\t(\S+)/.exec(listed)?.[1]
    expect(uri).toBeDefined()
    expect(textOf(await stage.one('ReadMcpResource', { server: 'all', uri }))).not.toBe('(no output)')
    expect(textOf(await stage.one('ListMcpPrompts', {}))).toContain('simple-prompt')
    expect(textOf(await stage.one('GetMcpPrompt', { server: 'all', name: 'simple-prompt' }))).toContain(
      'user:',
    )
  })
})

/** The real codex against the gateway: text, shell, patch, MCP, resume, compaction, interrupt, broken connections. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, request as send } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Gateway, startGateway } from '../test/gateway/gateway-server.ts'
import { configureCodex, execCodex } from './codex.ts'
import { type CodexModel, createCodexModel } from './codex-model.ts'
import { NOTES_SERVER } from './notes-server.ts'

let home: string
let gateway: Gateway
let model: CodexModel
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'toolwire-codex-'))
  model = createCodexModel()
  gateway = await startGateway({ models: () => model, config: { repeatGraceMs: 500, heartbeatMs: 500 } })
})
afterEach(async () => {
  await gateway.close()
  await rm(home, { recursive: true, force: true })
})

const configure = (name: string, more: Partial<Parameters<typeof configureCodex>[0]> = {}) =>
  configureCodex({ url: gateway.url, home, model: name, ...more })

test.each(['demo', 'gpt-5.5', 'gpt-5.6-terra'])('says what a model named %s says', async name => {
  await configure(name)
  const { output, errors, code } = await execCodex(home, 'hello').ended
  expect(output.trim(), errors).toBe('HELLO')
  expect(code).toBe(0)
  expect(model.requests).toHaveLength(1)
})

test.each([
  ['demo', 'exec_command', { cmd: 'echo heliotrope' }],
  ['gpt-5.5', 'exec_command', { cmd: 'echo heliotrope' }],
  [
    'gpt-5.6-terra',
    'functions__exec',
    { input: 'const r = await tools.exec_command({cmd:"echo heliotrope"}); text(r.output)' },
  ],
] as const)('runs a command for a model named %s in one session', async (name, tool, input) => {
  await configure(name)
  const { output, errors } = await execCodex(home, `CALL ${tool} ${JSON.stringify(input)}`).ended
  expect(output, errors).toContain('heliotrope')
  expect(model.requests).toHaveLength(2)
  expect((await gateway.get('/api/sessions')).sessions).toHaveLength(1)
})

test('applies a patch', async () => {
  await configure('gpt-5.5')
  const patch = '*** Begin Patch\n*** Add File: a.txt\n+hello\n*** End Patch'
  const { output, errors } = await execCodex(home, `CALL apply_patch ${JSON.stringify({ input: patch })}`).ended
  expect(output, errors).toContain('Success')
  expect(await readFile(join(home, 'work/a.txt'), 'utf8')).toBe('hello\n')
})

test('calls a tool of an MCP server', async () => {
  const path = join(home, 'notes.mjs')
  await writeFile(path, NOTES_SERVER)
  const server = ['[mcp_servers.notes]', `command = "${process.execPath}"`, `args = ["${path}"]`]
  await configure('demo', { provider: ['', ...server] })
  const { output, errors } = await execCodex(home, 'CALL mcp__notes__read {"name":"heliotrope"}').ended
  expect(output, errors).toContain('note heliotrope')
})

test('resumes a conversation', async () => {
  await configure('demo')
  await execCodex(home, 'remember heliotrope').ended
  const { output, errors } = await execCodex(home, 'resume', '--last', 'and now?').ended
  expect(output.trim(), errors).toBe('HELLO')
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('remember heliotrope')
  expect((await gateway.get('/api/sessions')).sessions).toHaveLength(1)
})

test('compacts a long conversation and continues', async () => {
  await configure('demo', { more: ['model_auto_compact_token_limit = 12'] })
  await execCodex(home, 'hello').ended
  const { output, errors } = await execCodex(home, 'resume', '--last', 'and now?').ended
  expect(output.trim(), errors).toBe('HELLO')
  expect(errors).toContain('context compacted')
  expect(model.requests).toHaveLength(3)
})

test('that is interrupted ends the run of the model', async () => {
  await configure('demo')
  const { child, ended } = execCodex(home, 'HANG')
  while (model.requests.length === 0) await new Promise(resolve => setTimeout(resolve, 50))
  child.kill('SIGINT')
  await ended
  await model.aborted
})

test('stays connected to a model that is silent for longer than its timeout', async () => {
  await configure('demo', { provider: ['stream_idle_timeout_ms = 1500', 'stream_max_retries = 0'] })
  const { child, ended } = execCodex(home, 'HANG')
  while (model.requests.length === 0) await new Promise(resolve => setTimeout(resolve, 50))
  const early = await Promise.race([ended, new Promise(resolve => setTimeout(() => resolve('open'), 4000))])
  expect(early).toBe('open')
  child.kill('SIGKILL')
  await ended
})

test('repeats a request whose connection broke, which costs one model call', async () => {
  let broken = 0
  const { hostname, port } = new URL(gateway.url)
  const proxy = createServer((request, response) => {
    const upstream = send(
      { hostname, port, path: request.url, method: request.method, headers: request.headers },
      answer => {
        response.writeHead(answer.statusCode ?? 500, answer.headers)
        if (broken++ > 2) return void answer.pipe(response)
        // The headers and a piece of the first frame arrive, the rest does not.
        answer.once('data', (chunk: Buffer) => response.write(chunk.subarray(0, 100), () => response.destroy()))
      },
    )
    request.pipe(upstream)
  })
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
  const address = proxy.address()
  const at = typeof address === 'object' && address ? address.port : 0
  await configure('demo', { url: `http://127.0.0.1:${at}` })
  const { output, errors } = await execCodex(home, 'hello').ended
  proxy.close()
  expect(output.trim(), errors).toBe('HELLO')
  expect(broken).toBeGreaterThan(3)
  expect(model.requests).toHaveLength(1)
})

/** One request per wire, streamed to its end by the real command. `npm test` runs this; a new wire adds its request. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Launched, launch } from '../launch.ts'

let dir = ''
let server: Launched

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'toolwire-smoke-'))
  const config = join(dir, 'smoke.json')
  writeFileSync(config, JSON.stringify({ mcpServe: { tools: ['Glob'] } }))
  server = await launch(dir, ['--port', '0', '--config', config])
})

afterAll(async () => {
  await server?.stop()
  rmSync(dir, { recursive: true, force: true })
})

async function post(path: string, body: object = {}, headers: object = {}): Promise<string> {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  expect({ status: response.status, text }).toMatchObject({ status: expect.toSatisfy(code => code < 300) })
  return text
}

async function chat(): Promise<{ readonly id: string; readonly frames: string }> {
  const { id } = JSON.parse(await post('/api/sessions')) as { readonly id: string }
  return { id, frames: await post('/api/chat/stream', { session_id: id, message: 'list the files' }) }
}

const SET_TEMPERATURE = {
  name: 'set_temperature',
  description: 'Sets the temperature',
  parameters: { type: 'object', properties: { value: { type: 'number' } }, required: ['value'] },
}
const HELLO = [{ role: 'user', content: 'hello' }]

const REQUESTS: Readonly<Record<string, () => Promise<void>>> = {
  async chat() {
    const { frames } = await chat()
    expect(frames).toContain('"type":"tool_')
    expect(frames).toContain('"type":"done"')
  },
  async canonical() {
    const { id } = await chat()
    const text = await (await fetch(`${server.url}/api/sessions/${id}/events`)).text()
    for (const type of ['input.message', 'tool.completed', 'run.completed']) expect(text).toContain(type)
  },
  async thread() {
    const body = { stream: true, input: 'set the temperature to 0.8', tools: [SET_TEMPERATURE] }
    const paused = await post('/v4/response', body)
    expect(paused).toContain('event: conversation.paused')
    const thread_id = Number(/"thread_id":(\d+)/.exec(paused)?.[1])
    const call_id = /"call_id":"([^"]+)"/.exec(paused)?.[1]
    const answer = { stream: true, thread_id, tool_outputs: [{ call_id, output: '{"ok":true}' }] }
    expect(await post('/v4/response', answer)).toContain('event: conversation.completed')
  },
  async 'ag-ui'() {
    const messages = [{ id: 'u1', role: 'user', content: 'list the files' }]
    const frames = await post('/ag-ui', { threadId: 'thread-1', runId: 'run-1', messages })
    for (const type of ['RUN_STARTED', 'TOOL_CALL_RESULT', 'RUN_FINISHED'])
      expect(frames).toContain(`"type":"${type}"`)
  },
  async 'ai-sdk'() {
    const parts = [{ type: 'text', text: 'list the files' }]
    const body = { id: 'chat-1', messages: [{ id: 'u1', role: 'user', parts }], trigger: 'submit-message' }
    const frames = await post('/api/ai/v7/chat', body)
    for (const type of ['start', 'tool-output-available', 'finish'])
      expect(frames).toContain(`"type":"${type}"`)
    expect(frames).toMatch(/data: \[DONE\]\s*$/)
    const saved = await fetch(`${server.url}/api/ai/v7/chat/chat-1/messages`)
    expect(((await saved.json()) as { messages: unknown[] }).messages).toHaveLength(2)
  },
  async 'openai-chat'() {
    const frames = await post('/v1/chat/completions', { model: 'demo', stream: true, messages: HELLO })
    expect(frames).toContain('"finish_reason":"stop"')
    expect(frames).toMatch(/data: \[DONE\]\s*$/)
  },
  async 'openai-responses'() {
    const frames = await post('/v1/responses', { model: 'demo', stream: true, input: 'hello' })
    expect(frames).toContain('event: response.completed')
    expect(frames).toMatch(/data: \[DONE\]\s*$/)
  },
  async 'anthropic-messages'() {
    const body = { model: 'demo', max_tokens: 500, stream: true, messages: HELLO }
    const frames = await post('/v1/messages', body, { 'anthropic-version': '2023-06-01' })
    expect(frames).toContain('event: message_stop')
  },
  async mcp() {
    const client = new Client({ name: 'smoke', version: '1.0.0' })
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', server.url)))
    const { content } = await client.callTool({ name: 'Glob', arguments: { pattern: '*.md' } })
    expect(JSON.stringify(content)).toContain('README.md')
    await client.close()
  },
}

test.each(Object.keys(REQUESTS))('%s: a request is streamed to its end', async wire => {
  await REQUESTS[wire]?.()
})

test('every wire has a request here', () => {
  const source = new URL('../../../wire/src', import.meta.url)
  const folders = readdirSync(source, { withFileTypes: true }).filter(entry => entry.isDirectory())
  const wires = folders.map(({ name }) => name).filter(name => !['gateway', 'shared'].includes(name))
  expect(Object.keys(REQUESTS).sort()).toEqual(wires.sort())
})

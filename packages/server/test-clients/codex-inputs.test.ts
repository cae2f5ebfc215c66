/** What the real codex sends beside text: images, schemas of answers, searches for tools; and its built-in provider. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Gateway, startGateway } from '../test/gateway/gateway-server.ts'
import { configureCodex, execBuiltInCodex, execCodex } from './codex.ts'
import { type CodexModel, createCodexModel } from './codex-model.ts'
import { NOTES_SERVER } from './notes-server.ts'

let home: string
let gateway: Gateway
let model: CodexModel
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'toolwire-codex-'))
  model = createCodexModel()
  gateway = await startGateway({ models: () => model })
})
afterEach(async () => {
  await gateway.close()
  await rm(home, { recursive: true, force: true })
})

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

test('an image reaches the model', async () => {
  await configureCodex({ url: gateway.url, home, model: 'gpt-5.5' })
  const path = join(home, 'work/pixel.png')
  await writeFile(path, Buffer.from(PIXEL, 'base64'))
  const { output, errors } = await execCodex(home, 'hello', '--image', path).ended
  expect(output.trim(), errors).toBe('HELLO')
  const images = model.requests[0]?.messages.flatMap(message =>
    message.role === 'user' ? message.content.filter(part => part.type === 'image') : [],
  )
  expect(images).toMatchObject([{ source: { type: 'base64', media_type: 'image/png' } }])
})

test('the schema of the answer is a setting of the model', async () => {
  await configureCodex({ url: gateway.url, home, model: 'demo' })
  const schema = {
    type: 'object',
    properties: { word: { type: 'string' } },
    required: ['word'],
    additionalProperties: false,
  }
  const path = join(home, 'schema.json')
  await writeFile(path, JSON.stringify(schema))
  const { output, errors } = await execCodex(home, '--output-schema', path, 'hello').ended
  expect(output.trim(), errors).toBe('HELLO')
  expect(model.requests[0]?.options?.['response_format']).toMatchObject({
    type: 'json_schema',
    json_schema: { schema },
  })
})

test('a search for tools finds those of an MCP server, which then can be called', async () => {
  const path = join(home, 'notes.mjs')
  await writeFile(path, NOTES_SERVER)
  const server = ['[mcp_servers.notes]', `command = "${process.execPath}"`, `args = ["${path}"]`]
  await configureCodex({ url: gateway.url, home, model: 'gpt-5.5', provider: ['', ...server] })
  const found = await execCodex(home, 'CALL tool_search {"query":"read a note"}').ended
  expect(found.output, found.errors).toContain('mcp__notes')
  expect(model.requests).toHaveLength(2)
  const names = model.requests[1]?.tools.map(tool => tool.name)
  expect(names).toContain('mcp__notes__read')
})

test('the built-in provider with another address works, over HTTP after one refused upgrade', async () => {
  const { ended } = await execBuiltInCodex(gateway.url, home, 'hello')
  const { output, errors, code } = await ended
  expect(output.trim(), errors).toBe('HELLO')
  expect(code).toBe(0)
  expect(model.requests).toHaveLength(1)
})

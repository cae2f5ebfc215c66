/**
 * CPU per delta of three ways to read one Messages stream: the vendor's client (its raw event stream), our model
 * port (node:http, event parser, fold into parts), and the parser alone on node:http, which is the floor. The
 * server runs in a separate process, so only reading is measured. Run: node --conditions=toolwire-source
 * bench/model-reader.bench.ts [deltas]
 */
import { fork } from 'node:child_process'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import Anthropic from '@anthropic-ai/sdk'
import { createAnthropicModel } from '@toolwire/models'
import { createEventParser } from '../packages/models/src/shared/event-parser.ts'
import { messageChunks } from '../packages/models/src/shared/message-chunks.ts'

const DELTAS = Number(process.argv[2] ?? 50_000)
const ROUNDS = 5
/** Frames that arrive together; a busy provider sends a few at once. */
const PER_CHUNK = 4

if (process.env['BENCH_SERVE']) serve()
else await main()

async function main(): Promise<void> {
  const child = fork(import.meta.filename, [String(DELTAS)], { env: { ...process.env, BENCH_SERVE: '1' } })
  const url = await new Promise<string>(resolve => child.once('message', message => resolve(String(message))))
  const readers: Readonly<Record<string, (url: string) => Promise<number>>> = {
    'node:http + parser + JSON': readBare,
    'model port (node:http)': readPort,
    'vendor client, raw stream': readVendor,
  }
  const best = new Map<string, number>()
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, read] of Object.entries(readers)) {
      const before = process.cpuUsage()
      const count = await read(url)
      const { user, system } = process.cpuUsage(before)
      if (count < DELTAS) throw new Error(`${name} read ${count} of ${DELTAS} deltas`)
      // The first round warms up.
      if (round > 0)
        best.set(name, Math.min(best.get(name) ?? Number.POSITIVE_INFINITY, (user + system) / DELTAS))
    }
  for (const [name, micros] of best) console.log(`${name.padEnd(28)} ${micros.toFixed(2)} µs CPU per delta`)
  child.kill()
}

async function readPort(url: string): Promise<number> {
  const model = createAnthropicModel({ model: 'claude-bench', apiKey: 'k', baseUrl: url })
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'go' }] }] as const
  let count = 0
  for await (const part of model.stream({ model: 'x', messages, tools: [] }, new AbortController().signal))
    if (part.type === 'block-delta') count++
  return count
}

async function readVendor(url: string): Promise<number> {
  const client = new Anthropic({ apiKey: 'k', baseURL: url })
  const stream = await client.messages.create({
    model: 'claude-bench',
    max_tokens: 10,
    stream: true,
    messages: [{ role: 'user', content: 'go' }],
  })
  let count = 0
  for await (const event of stream) if (event.type === 'content_block_delta') count++
  return count
}

async function readBare(url: string): Promise<number> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(`${url}/v1/messages`, { method: 'POST' }, resolve).on('error', reject).end('{}')
  })
  let count = 0
  const chunks = messageChunks(response)
  const parse = createEventParser()
  for (;;) {
    await chunks.ready()
    const chunk = chunks.take()
    if (!chunk) return count
    for (const event of parse(chunk)) if (JSON.parse(event.data).type === 'content_block_delta') count++
  }
}

function serve(): void {
  const frame = (event: string, payload: object): string =>
    `event: ${event}\ndata: ${JSON.stringify({ type: event, ...payload })}\n\n`
  const delta = frame('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'eight ch' } })
  const usage = { input_tokens: 1, output_tokens: 1 }
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'x',
    content: [],
    stop_reason: null,
    usage,
  }
  const server = createServer(async (incoming, response) => {
    incoming.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(frame('message_start', { message }))
    response.write(frame('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }))
    for (let sent = 0; sent < DELTAS; sent += PER_CHUNK) {
      if (!response.write(delta.repeat(PER_CHUNK)))
        await new Promise(resolve => response.once('drain', resolve))
      if (sent % (PER_CHUNK * 16) === 0) await new Promise(resolve => setImmediate(resolve))
    }
    response.write(frame('content_block_stop', { index: 0 }))
    response.write(frame('message_delta', { delta: { stop_reason: 'end_turn' }, usage }))
    response.end(frame('message_stop', {}))
  })
  server.listen(0, '127.0.0.1', () =>
    process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
  )
  process.once('disconnect', () => process.exit())
}

/**
 * What a peer needs of its own to take part, as text: it runs in a folder whose `node_modules` are the
 * peer's. Each is the shortest server that its documentation shows.
 */

/** As published, Portkey appends to headers that Node's fetch makes immutable, and answers 500 to everything. */
export const MUTABLE_HEADERS = `
const original = globalThis.fetch
globalThis.fetch = async (...args) => {
  const { body, status, statusText, headers } = await original(...args)
  return new Response(body, { status, statusText, headers: new Headers(headers) })
}
`

export const AI_SDK_SERVER = `
import { createServer } from 'node:http'
import { createAnthropic } from '@ai-sdk/anthropic'
import { convertToModelMessages, isStepCount, streamText, tool } from 'ai'
import { z } from 'zod'

const anthropic = createAnthropic({ baseURL: process.env.UPSTREAM + '/v1', apiKey: 'k' })
const wait = ms => new Promise(resolve => setTimeout(resolve, ms))
const inputSchema = z.object({ n: z.number(), ms: z.number(), data: z.string() })
const execute = async ({ n, ms }) => {
  await wait(ms)
  return 'done ' + n
}
const tools = { echo: tool({ description: 'Echo', inputSchema, execute }) }

createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const { model, messages } = JSON.parse(Buffer.concat(chunks))
  const result = streamText({
    model: anthropic(model),
    messages: await convertToModelMessages(messages),
    tools,
    maxRetries: 0,
    stopWhen: isStepCount(1000),
  })
  result.pipeUIMessageStreamToResponse(response)
}).listen({ port: Number(process.env.PORT), host: '127.0.0.1', backlog: 4096 })
`

export const MASTRA_SERVER = `
import { createAnthropic } from '@ai-sdk/anthropic'
import { serve } from '@hono/node-server'
import { Mastra } from '@mastra/core'
import { Agent } from '@mastra/core/agent'
import { MastraServer } from '@mastra/hono'
import { Hono } from 'hono'

const anthropic = createAnthropic({ baseURL: process.env.UPSTREAM + '/v1', apiKey: 'k' })
const a = new Agent({
  id: 'a',
  name: 'a',
  instructions: 'Answer.',
  model: ({ requestContext }) => anthropic(requestContext?.get?.('model') ?? 'claude-bench'),
})
const app = new Hono()
await new MastraServer({ app, mastra: new Mastra({ agents: { a }, logger: false }) }).init()
serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' })
`

export const LANGGRAPH_GRAPH = `
import { ChatAnthropic } from '@langchain/anthropic'
import { createReactAgent } from '@langchain/langgraph/prebuilt'

const chat = model =>
  new ChatAnthropic({ model, anthropicApiUrl: process.env.UPSTREAM, apiKey: 'k', maxRetries: 0, streaming: true })
export const graph = createReactAgent({
  llm: async (_, runtime) => chat(runtime?.configurable?.model ?? 'claude-bench'),
  tools: [],
})
`

/**
 * How much CPU a client of somebody else needs for one call whose arguments arrive in the given pieces.
 * Arguments: the client, the size of the arguments, and `each` (pieces of 16) or `coalesced` (as the server sends them).
 */
export const CLIENT_PROGRAM = `
import { AbstractAgent } from '@ag-ui/client'
import { readUIMessageStream } from 'ai'
import { from } from 'rxjs'

const [client, size, how] = process.argv.slice(2)
const input = JSON.stringify({ content: 'line of code;\\n'.repeat(Number(size) / 15) })
const pieces = []
for (let at = 0; at < input.length; ) {
  const length = how === 'each' ? 16 : Math.max(256, Math.floor(at / 64))
  pieces.push(input.slice(at, at + length))
  at += length
}

async function aiSdk() {
  const call = { toolCallId: 'c', toolName: 'echo' }
  const chunks = [
    { type: 'start' },
    { type: 'tool-input-start', ...call },
    ...pieces.map(inputTextDelta => ({ type: 'tool-input-delta', toolCallId: 'c', inputTextDelta })),
    { type: 'tool-input-available', ...call, input: JSON.parse(input) },
    { type: 'finish' },
  ]
  let last
  for await (const message of readUIMessageStream({ stream: ReadableStream.from(chunks) })) last = message
  if (last.parts[0].input.content.length < size / 2) throw new Error('arguments are missing')
}

async function agUi() {
  const ids = { threadId: 't', runId: 'r' }
  const events = [
    { type: 'RUN_STARTED', ...ids },
    { type: 'TOOL_CALL_START', toolCallId: 'c', toolCallName: 'echo' },
    ...pieces.map(delta => ({ type: 'TOOL_CALL_ARGS', toolCallId: 'c', delta })),
    { type: 'TOOL_CALL_END', toolCallId: 'c' },
    { type: 'RUN_FINISHED', ...ids },
  ]
  class Given extends AbstractAgent {
    run() {
      return from(events)
    }
  }
  const agent = new Given({ threadId: 't' })
  await agent.runAgent({ runId: 'r' })
  if (agent.messages.at(-1).toolCalls[0].function.arguments.length !== input.length) throw new Error('arguments are missing')
}

const started = process.cpuUsage()
await (client === 'ai-sdk' ? aiSdk() : agUi())
const { user, system } = process.cpuUsage(started)
console.log(JSON.stringify({ ms: (user + system) / 1000, pieces: pieces.length }))
`

/** Becomes the program that opencode installs for this platform; its launcher would be a process beside it. */
export const OPENCODE_LAUNCHER = `
const { platform, arch, execve, env } = process
execve(\`node_modules/opencode-\${platform}-\${arch}/bin/opencode\`, ['opencode', 'serve', '--port', env.PORT], env)
`

/** Models that are not written down do not exist for it: one for every length of stream that it may be asked for. */
export const opencodeConfig = (upstream: string): string =>
  JSON.stringify({
    autoupdate: false,
    share: 'disabled',
    snapshot: false,
    model: 'bench/claude-bench.d10',
    small_model: 'bench/claude-bench.d10',
    provider: {
      bench: {
        npm: '@ai-sdk/anthropic',
        name: 'bench',
        options: { baseURL: `${upstream}/v1`, apiKey: 'k' },
        models: Object.fromEntries(
          Array.from({ length: 200 }, (_, i) => [
            `claude-bench.d${i + 1}`,
            { name: `d${i + 1}`, tool_call: true, limit: { context: 200_000, output: 4096 } },
          ]),
        ),
      },
    },
  })

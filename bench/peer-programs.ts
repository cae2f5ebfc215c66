/**
 * Programs of the peers, as text: each runs in a folder whose `node_modules` are the peer's and is the shortest
 * server that its documentation shows.
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
import { createTool } from '@mastra/core/tools'
import { MastraServer } from '@mastra/hono'
import { Hono } from 'hono'
import { z } from 'zod'

const anthropic = createAnthropic({ baseURL: process.env.UPSTREAM + '/v1', apiKey: 'k' })
const wait = ms => new Promise(resolve => setTimeout(resolve, ms))
const echo = createTool({
  id: 'echo',
  description: 'Echo',
  inputSchema: z.object({ n: z.number(), ms: z.number(), data: z.string() }),
  execute: async ({ n, ms }) => {
    await wait(ms)
    return 'done ' + n
  },
})
const a = new Agent({
  id: 'a',
  name: 'a',
  instructions: 'Answer.',
  model: ({ requestContext }) => anthropic(requestContext?.get?.('model') ?? 'claude-bench'),
  tools: { echo },
})
const app = new Hono()
await new MastraServer({ app, mastra: new Mastra({ agents: { a }, logger: false }) }).init()
serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' })
`

export const LANGGRAPH_GRAPH = `
import { ChatAnthropic } from '@langchain/anthropic'
import { tool } from '@langchain/core/tools'
import { createReactAgent } from '@langchain/langgraph/prebuilt'
import { z } from 'zod'

const chat = model =>
  new ChatAnthropic({ model, anthropicApiUrl: process.env.UPSTREAM, apiKey: 'k', maxRetries: 0, streaming: true })
const schema = z.object({ n: z.number(), ms: z.number(), data: z.string() })
const run = async ({ n, ms }) => {
  await new Promise(resolve => setTimeout(resolve, ms))
  return 'done ' + n
}
const tools = [tool(run, { name: 'echo', description: 'Echo', schema })]
export const graph = createReactAgent({
  llm: async (_, runtime) => chat(runtime?.configurable?.model ?? 'claude-bench').bindTools(tools),
  tools,
})
`

/**
 * CPU of a third-party client for one call with large arguments. Arguments: the client, a file with its input
 * (chunks of the UI message stream, or events of AG-UI), and the number of characters of the call.
 */
export const CLIENT_PROGRAM = `
import { readFileSync } from 'node:fs'
import { AbstractAgent } from '@ag-ui/client'
import { readUIMessageStream } from 'ai'
import { from } from 'rxjs'

const [client, file, chars] = process.argv.slice(2)
const given = JSON.parse(readFileSync(file, 'utf8'))
const check = length => {
  if (length < chars * 0.9) throw new Error(length + ' of ' + chars + ' characters')
}

async function aiSdk() {
  let last
  for await (const message of readUIMessageStream({ stream: ReadableStream.from(given) })) last = message
  check(last.parts.find(part => part.toolCallId !== undefined).input.data.length)
}

async function agUi() {
  class Given extends AbstractAgent {
    run() {
      return from(given)
    }
  }
  const agent = new Given({ threadId: 't' })
  await agent.runAgent({ runId: 'r' })
  check(agent.messages.at(-1).toolCalls[0].function.arguments.length)
}

const started = process.cpuUsage()
await (client === 'ai-sdk' ? aiSdk() : agUi())
const { user, system } = process.cpuUsage(started)
console.log(JSON.stringify({ ms: (user + system) / 1000 }))
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

/** A server with `/mcp` on a free port, its own keys and a few tools; closed by the caller. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Model, Store, Tool } from '@toolwire/core'
import { TRY_OPTION } from '@toolwire/core'
import { createHttpEndpoint, type Offer, type ServerExtension } from '@toolwire/mcp/serve'
import { createToolSystem, defineTool, tryModel } from '@toolwire/tools'
import { z } from 'zod'
import { type KeyServer, startKeyServer } from '../../../server/test/access/key-server.ts'
import { createScriptedModel } from '../../../server/test/scripted-model.ts'
import type { TestConfig } from '../../../server/test/split-config.ts'
import { type Running, startServer } from '../../../server/test/start-server.ts'

export interface McpServerUnderTest extends KeyServer {
  /** How often each tool ran. */
  readonly ran: Readonly<Record<string, number>>
  /** Resolves when a call of Slow has started. */
  readonly started: () => Promise<void>
  readonly release: () => void
  /** The end of the call of Slow. */
  readonly slowEnd: () => Promise<'stopped' | 'finished'>
}

export interface McpTestOptions {
  readonly offer?: Partial<Offer>
  readonly inboxMs?: number
  readonly extension?: ServerExtension
  readonly store?: Store
  readonly tools?: readonly Tool[]
  /** Of calls of tools. */
  readonly callModel?: Model
  readonly taskAfterMs?: number
}

export async function serveMcp(options: McpTestOptions = {}): Promise<McpServerUnderTest> {
  const { config, more, ran, slow } = prepare(options)
  const server = await startKeyServer(config, more)
  return { ...server, ran, started: slow.started, release: slow.release, slowEnd: slow.end }
}

/** The same without keys: every caller is the operator. */
export async function serveMcpOpenly(options: McpTestOptions = {}): Promise<Running> {
  const { config, more } = prepare(options)
  return await startServer(config, more)
}

function prepare(options: McpTestOptions) {
  const ran: Record<string, number> = {}
  const slow = createSlowTool()
  const tools = [...testTools(ran), slow.tool, ...(options.tools ?? [])]
  const scripted = createScriptedModel()
  const { callModel = tryModel } = options
  const model: Model = {
    provider: 'test',
    id: 'test',
    stream: (request, signal) =>
      request.options?.[TRY_OPTION] ? callModel.stream(request, signal) : scripted.stream(request, signal),
  }
  const offer: Offer = { tools: ['Echo', 'Change', 'Slow'], agents: [], ...options.offer }
  const config: TestConfig = {
    listTools: () =>
      tools.map(({ name, description, input_schema }) => ({
        name,
        description: typeof description === 'string' ? description : '',
        input_schema,
      })),
    mcpServer: {
      open: host =>
        createHttpEndpoint({
          host,
          offer,
          version: '1.2.3',
          inboxMs: options.inboxMs,
          taskAfterMs: options.taskAfterMs,
          extension: options.extension,
        }),
    },
  }
  const more = {
    model,
    tools: createToolSystem({ tools }),
    ...(options.store ? { store: options.store } : {}),
  }
  return { config, more, ran, slow }
}

function testTools(ran: Record<string, number>): readonly Tool[] {
  const count = (name: string): void => {
    ran[name] = (ran[name] ?? 0) + 1
  }
  return [
    defineTool({
      name: 'Echo',
      description: 'Says it again',
      input: z.strictObject({ text: z.string() }),
      isReadOnly: () => true,
      async *call({ text }) {
        count('Echo')
        yield { type: 'progress', message: 'half', progress: 1, total: 2 }
        yield { type: 'result', output_text: text, structured: { text } }
      },
    }),
    defineTool({
      name: 'Change',
      description: 'Changes something',
      input: z.strictObject({ what: z.string() }),
      isReadOnly: () => false,
      async *call({ what }) {
        count('Change')
        yield { type: 'result', output_text: `changed ${what}` }
      },
    }),
    defineTool({
      name: 'Hidden',
      description: 'Is not offered',
      input: z.strictObject({}),
      isReadOnly: () => true,
      async *call() {
        count('Hidden')
        yield { type: 'result', output_text: 'secret' }
      },
    }),
  ]
}

/** A tool that runs until it is released or stopped. */
function createSlowTool() {
  let onStart = Promise.withResolvers<void>()
  let release = Promise.withResolvers<void>()
  let ended = Promise.withResolvers<'stopped' | 'finished'>()
  const tool = defineTool({
    name: 'Slow',
    description: 'Waits',
    input: z.strictObject({}),
    isReadOnly: () => true,
    async *call(_, { signal }) {
      onStart.resolve()
      const stopped = new Promise<'stopped'>(resolve =>
        signal.addEventListener('abort', () => resolve('stopped'), { once: true }),
      )
      const how = await Promise.race([stopped, release.promise.then(() => 'finished' as const)])
      ended.resolve(how)
      yield { type: 'result', output_text: how }
    },
  })
  return {
    tool,
    async started() {
      await onStart.promise
      onStart = Promise.withResolvers()
    },
    release: () => release.resolve(),
    async end() {
      const how = await ended.promise
      release = Promise.withResolvers()
      ended = Promise.withResolvers()
      return how
    },
  }
}

export type Era = 'legacy' | 'modern'
export const ERAS = ['legacy', 'modern'] as const

interface ClientOptions {
  readonly era: Era
  readonly prepare?: (client: Client) => void
  /** False for a client that declares no elicitation. */
  readonly elicits?: boolean
}

/** The official client in one era. */
export async function connectClient(
  { url }: Pick<KeyServer, 'url'>,
  key: string,
  { era, prepare, elicits = true }: ClientOptions,
): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    {
      capabilities: elicits ? { elicitation: { form: {} } } : {},
      versionNegotiation: { mode: era === 'legacy' ? 'legacy' : { pin: '2026-07-28' } },
    },
  )
  prepare?.(client)
  const requestInit = { headers: { authorization: `Bearer ${key}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit }))
  return client
}

/** A whole gateway on a free port: store in memory, real tool system, a scripted model. Closed by the caller. */

import { randomBytes, randomUUID } from 'node:crypto'
import Anthropic from '@anthropic-ai/sdk'
import type { FileStore, Ids, ModelFinder, Records, Store, Tool } from '@toolwire/core'
import { createRuntime } from '@toolwire/runtime'
import { createSessions } from '@toolwire/session'
import { createMemoryStore } from '@toolwire/store'
import { answerRules, createToolSystem } from '@toolwire/tools'
import OpenAI from 'openai'
import { createGatewayContext, type GatewayContext } from '../../src/gateway/gateway-context.ts'
import { createServer, type Server } from '../../src/index.ts'
import { type HostServer, hostServer } from '../host-server.ts'
import { splitConfig, type TestConfig } from '../split-config.ts'
import { createGatewayModel, type GatewayModel } from './gateway-model.ts'

export interface GatewayOptions {
  readonly config?: TestConfig
  readonly tools?: readonly Tool[]
  readonly models?: ModelFinder
  /** Kept open by `close` when given. */
  readonly store?: Store
  readonly records?: Records
  readonly files?: FileStore
  readonly leaseMs?: number
}

export interface Gateway {
  readonly url: string
  readonly store: Store
  readonly model: GatewayModel
  readonly openai: OpenAI
  readonly anthropic: Anthropic
  readonly post: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Response>
  // biome-ignore lint/suspicious/noExplicitAny: bodies of any shape are compared field by field
  readonly get: (path: string, headers?: Record<string, string>) => Promise<any>
  readonly settled: () => Promise<void>
  /** Resolves when no stream is open any more, on the server's side. */
  readonly left: () => Promise<void>
  readonly context: Server['context']
  /** A context outside of requests, for the sessions of all owners. */
  readonly unscoped: () => Promise<GatewayContext>
  /** The listening socket. */
  readonly server: HostServer['http']
  readonly close: () => Promise<void>
}

const ids: Ids = {
  uuid: () => randomUUID(),
  prefixed: prefix => `${prefix}${randomBytes(8).toString('hex')}`,
}

export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const store = options.store ?? createMemoryStore()
  const model = createGatewayModel()
  const clock = { now: () => new Date() }
  const tools = options.tools ?? []
  const toolNames = tools.map(tool => tool.name)
  const runtime = createRuntime({
    log: store,
    models: options.models ?? (() => model),
    tools: createToolSystem({ tools }),
    ids,
    clock,
    node: randomUUID(),
    ...(options.leaseMs === undefined ? {} : { leaseMs: options.leaseMs }),
    toolNames,
    maxTurns: 20,
    ...(options.files ? { files: options.files } : {}),
    onError: error => {
      throw error
    },
  })
  await runtime.start()
  const config = { port: 0, workspace: '/workspace', toolNames, ...options.config }
  const { records, files } = options
  const server = await createServer({
    store,
    runtime,
    files,
    rules: answerRules,
    ...splitConfig(config),
    ids,
    clock,
    ...(records ? { records } : {}),
  })
  const host = await hostServer(server.node)
  const { url } = host
  return {
    url,
    store,
    model,
    openai: new OpenAI({ baseURL: `${url}/v1`, apiKey: 'sk-test', maxRetries: 0 }),
    anthropic: new Anthropic({ baseURL: url, apiKey: 'sk-test', maxRetries: 0 }),
    post: (path, body, headers = {}) =>
      fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    get: async (path, headers = {}) => (await fetch(url + path, { headers })).json(),
    settled: () => runtime.settled(),
    async left() {
      while (server.context.streams.size() > 0) await new Promise(resolve => setImmediate(resolve))
    },
    context: server.context,
    async unscoped() {
      const { rules, now } = server.context.sessions
      const sessions = await createSessions({ store, log: store, runtime, rules, ids, now, pollMs: 60_000 })
      return createGatewayContext({ ...server.context, store, sessions })
    },
    server: host.http,
    async close() {
      await server.close()
      await host.close()
      await runtime.stop()
      if (!options.store) await store.close()
    },
  }
}

/** A tool as a Chat Completions request brings it. */
export const chatTool = (name: string) => ({
  type: 'function' as const,
  function: {
    name,
    description: `The tool ${name}`,
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
  },
})

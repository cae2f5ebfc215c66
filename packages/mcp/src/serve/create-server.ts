/** Makes protocol servers: one for a connection of the older era, one for a request of the newer. */
import {
  type McpServerFactory,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { callTool } from './call-tool.ts'
import { listOffers } from './offer.ts'
import { createStateCodec } from './request-state.ts'
import type { ServeContext } from './serve-context.ts'
import { TaskServer } from './task-server.ts'
import { prepareTasks, TASKS } from './tasks.ts'

const INSTRUCTIONS =
  'Calls run in sessions of Toolwire, under its permission rules. A call that needs an approval asks for it, or returns the id under which a person can decide.'

/** The lists are private: a key sees the things of its owner. */
const CACHE = { ttlMs: 0, cacheScope: 'private' } as const

export function createServerFactory(serving: ServeContext): McpServerFactory {
  return async context => {
    const { host, offer, version, extension } = serving
    const codec = createStateCodec(host, await host.secret())
    const isModern = context.era === 'modern'
    const server = new TaskServer(
      { name: 'toolwire', title: 'Toolwire', version },
      {
        capabilities: {
          tools: {},
          prompts: {},
          resources: {},
          ...(isModern ? { extensions: { [TASKS]: {} } } : {}),
          ...extension?.capabilities,
        },
        instructions: INSTRUCTIONS,
        requestState: { verify: codec.verify },
        cacheHints: { 'tools/list': CACHE, 'prompts/list': CACHE, 'resources/list': CACHE },
      },
    )
    server.setRequestHandler('tools/list', () => ({
      tools: [...listOffers(offer, host.tools()).map(copy), ...(extension?.tools.map(toPlainTool) ?? [])],
    }))
    const toScope = (ctx: ServerContext) => ({ serving, server, codec, era: context.era, ctx })
    server.setRequestHandler('tools/call', ({ params }, ctx) => {
      const scope = toScope(ctx)
      return extension?.tools.includes(params.name)
        ? extension.callTool(scope, params)
        : callTool(scope, params)
    })
    if (isModern) prepareTasks(server, toScope)
    // Clients ask for these lists whatever the capabilities say.
    server.setRequestHandler('prompts/list', () => ({ prompts: [] }))
    server.setRequestHandler('resources/list', () => ({ resources: [] }))
    server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }))
    server.setRequestHandler('prompts/get', ({ params }) => {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt: ${params.name}`)
    })
    server.setRequestHandler('resources/read', ({ params }) => {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Resource not found', { uri: params.uri })
    })
    extension?.prepare(server)
    return server
  }
}

const toPlainTool = (name: string) => ({ name, description: name, inputSchema: { type: 'object' as const } })

/** The library's types are mutable. */
const copy = <T>(value: T): T => structuredClone(value)

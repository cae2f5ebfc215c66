/** The MCP server over Streamable HTTP, both eras. Expects that host, origin, key and body were checked. */
import { createMcpHandler, isLegacyRequest, type McpHttpHandler } from '@modelcontextprotocol/server'
import { createServerFactory } from './create-server.ts'
import { createLegacySessions, type LegacySessions } from './legacy-sessions.ts'
import type { ServeContext, ServeOptions } from './serve-context.ts'

export interface HttpEndpoint {
  /** `body` is the parsed body; undefined without one. The response ends its work when its body is cancelled. */
  handle(request: Request, body: unknown): Promise<Response>
  /** Ends connections; calls in progress continue. Idempotent. */
  close(): Promise<void>
}

const HEARTBEAT_MS = 10_000

export function createHttpEndpoint(options: ServeOptions): HttpEndpoint {
  const serving: ServeContext = { ...options, isClosing: false }
  const factory = createServerFactory(serving)
  const modern: McpHttpHandler = createMcpHandler(factory, { legacy: 'reject', keepAliveMs: HEARTBEAT_MS })
  const legacy: LegacySessions = createLegacySessions({ serving, factory, heartbeatMs: HEARTBEAT_MS })
  return {
    async handle(request, body) {
      if (Array.isArray(body)) return rejectBatch()
      return (await isLegacyRequest(request, body))
        ? await legacy.handle(request, body)
        : await modern.fetch(request, { parsedBody: body })
    },
    async close() {
      serving.isClosing = true
      await Promise.all([modern.close(), legacy.close()])
    },
  }
}

/** The protocol has none since 2025-06-18. */
const rejectBatch = (): Response =>
  Response.json(
    { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'Batches are not supported.' } },
    { status: 400 },
  )

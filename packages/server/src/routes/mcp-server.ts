/**
 * `/mcp`: this server as an MCP server over Streamable HTTP. The protocol is the port's; host, origin, key, limits and
 * body are checked here as for every route.
 */
import { AppError } from '@toolwire/core'
import { z } from 'zod'
import type { ServerContext } from '../context.ts'
import { type Exchange, toSignal } from '../http/exchange.ts'
import { emptyReply, rawReply } from '../http/reply.ts'
import { defineRoute, type Route } from '../http/route.ts'
import type { RouteContext } from '../http/route-context.ts'
import { SseConnection } from '../http/sse.ts'
import { either, empty, json, stream } from '../openapi/operation.ts'

const MAX_BODY = 10 * 1024 * 1024
const MAX_DEPTH = 512

const RpcMessage = z
  .looseObject({ jsonrpc: z.literal('2.0') })
  .meta({ id: 'McpMessage', description: 'A JSON-RPC message of the Model Context Protocol.' })

const isServed = ({ mcpServer }: RouteContext): boolean => mcpServer !== undefined

const base = {
  path: '/mcp',
  scope: 'mcp',
  tag: 'MCP',
  errorShape: 'mcp',
  isServed,
} as const

export const mcpServerRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    method: 'POST',
    id: 'callMcp',
    summary: 'Use this server as an MCP server',
    description:
      'Streamable HTTP of the protocol revisions 2026-07-28 and, with sessions, 2025-11-25 and before.',
    body: RpcMessage,
    bodyLimits: { bytes: MAX_BODY, depth: MAX_DEPTH },
    errors: ['bad_request', 'payload_too_large'],
    responses: {
      200: either(RpcMessage, RpcMessage, 'The response, or a stream that ends with it.'),
      202: empty('A notification was accepted.'),
    },
    handle: (exchange, context) => serve(exchange, context),
  }),
  defineRoute({
    ...base,
    method: 'GET',
    id: 'listenToMcp',
    summary: 'Messages of the server in a session of the older revisions',
    head: false,
    errors: ['bad_request', 'session_not_found'],
    responses: { 200: stream(RpcMessage, 'Until the session ends.') },
    handle: (exchange, context) => serve(exchange, context),
  }),
  defineRoute({
    ...base,
    method: 'DELETE',
    id: 'endMcpSession',
    summary: 'End a session of the older revisions',
    errors: ['bad_request', 'session_not_found'],
    responses: { 200: json(RpcMessage, 'It has ended.') },
    handle: (exchange, context) => serve(exchange, context),
  }),
]

async function serve(exchange: Exchange, context: RouteContext): Promise<unknown> {
  const { mcpServer, streams } = context
  if (!mcpServer) throw new AppError('not_found')
  if (exchange.method === 'POST' && exchange.body === undefined)
    throw new AppError('invalid_json', 'The body is empty.')
  streams.check()
  const response = await mcpServer.handle(toRequest(exchange), exchange.body)
  if (exchange.client.isClosed()) return void (await response.body?.cancel())
  const { status, headers, body } = response
  if (body && headers.get('content-type')?.startsWith('text/event-stream')) {
    exchange.setHeaders(ownHeaders(headers))
    return await sendStream(exchange, context, body)
  }
  exchange.setHeaders(ownHeaders(headers))
  const bytes = new Uint8Array(await response.arrayBuffer())
  if (bytes.length === 0) return emptyReply(status)
  return rawReply(status, bytes, headers.get('content-type') ?? undefined)
}

/** The headers that the protocol reads; those of the connection were read here. */
function toRequest({ method, url, headers, client }: Exchange): Request {
  const forwarded = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' && /^(accept|content-type|last-event-id|mcp-[a-z0-9-]+)$/.test(name)
      ? [[name, value]]
      : [],
  )
  return new Request(new URL(url, 'http://localhost'), {
    method,
    headers: forwarded,
    signal: toSignal(client),
  })
}

const ownHeaders = (headers: Headers): Readonly<Record<string, string>> =>
  Object.fromEntries([...headers].filter(([name]) => name === 'mcp-session-id' || name === 'allow'))

/** The reader of a stream counts, and is given up when it takes nothing, as on every wire. */
async function sendStream(
  exchange: Exchange,
  { clock, streams }: ServerContext,
  body: ReadableStream<Uint8Array>,
): Promise<void> {
  const now = () => clock.now().getTime()
  const connection = new SseConnection(exchange, now, { prelude: '', heartbeat: ': keep-alive\n\n' })
  const leave = streams.add(connection, { lag: () => 0 })
  const reader = body.getReader()
  connection.onClose(() => void reader.cancel().catch(() => {}))
  try {
    connection.start()
    const decoder = new TextDecoder()
    for (;;) {
      const { value, done } = await reader.read()
      if (done || connection.closed) break
      const text = decoder.decode(value, { stream: true })
      if (text !== '') await connection.write(text)
    }
    connection.end()
  } catch {
    connection.destroy()
  } finally {
    leave()
  }
}

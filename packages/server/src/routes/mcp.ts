/**
 * MCP servers in use: their status, and signing in. The server has no screen: the address to open is in the
 * response and the log, and the browser returns to the callback, or its last address is pasted.
 */
import { AppError } from '@toolwire/core'
import { z } from 'zod'
import type { Principal } from '../access/principal.ts'
import { recordAudit } from '../access/record-audit.ts'
import type { ServerContext } from '../context.ts'
import { rawReply } from '../http/reply.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { json, raw } from '../openapi/operation.ts'
import { McpList, McpServerNamed } from '../openapi/shapes/tool-shapes.ts'
import type { McpPort } from '../ports/mcp-port.ts'

const CallbackBody = z.object({ url: z.url().max(16_384) })
const Callback = z.object({ code: z.string(), state: z.string(), error: z.string() }).partial()

/** Without MCP servers these routes do not exist. */
export const hasMcp = ({ ports }: ServerContext): boolean => ports.mcp !== undefined

export const mcpRoutes: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/api/mcp',
    scope: 'read',
    id: 'listMcpServers',
    tag: 'MCP',
    summary: 'The MCP servers that this one uses, and how they are',
    responses: { 200: json(McpList, 'One entry per configured server.') },
    isServed: hasMcp,
    handle: async (_, context) => ({
      servers: portOf(context)
        .status()
        .map(server => shownTo(context.principal(), server)),
    }),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/mcp/callback',
    scope: 'open',
    id: 'finishMcpSignIn',
    tag: 'MCP',
    summary: 'Where a browser comes back to after signing in',
    query: Callback,
    responses: { 200: raw('text/html', 'A page that says so.'), 400: raw('text/html', 'No sign-in fits.') },
    isServed: hasMcp,
    // Needs no key: browsers come without one, and the unguessable `state` names the sign-in.
    handle: async (exchange, context) => {
      const { searchParams } = new URL(exchange.url, 'http://localhost')
      const outcome = await finish(context, searchParams).catch((error: unknown) => error)
      const isSignedIn = typeof outcome === 'string'
      exchange.setHeaders({
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'referrer-policy': 'no-referrer',
      })
      const text = isSignedIn
        ? 'You are signed in. You can close this page.'
        : 'Signing in did not work. Try again.'
      return rawReply(isSignedIn ? 200 : 400, toPage(text), 'text/html; charset=utf-8')
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/mcp/callback',
    scope: 'admin',
    id: 'pasteMcpSignIn',
    tag: 'MCP',
    summary: 'Finish signing in with the address that a browser ended at',
    body: CallbackBody.meta({ id: 'McpCallback' }),
    errors: ['bad_request'],
    responses: { 200: json(McpServerNamed, 'The server that can be used now.') },
    isServed: hasMcp,
    handle: async (exchange, context) => {
      const { url } = exchange.parseBody()
      return { server: await finish(context, new URL(url).searchParams) }
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/mcp/:name/sign-in',
    scope: 'admin',
    id: 'signOutOfMcp',
    tag: 'MCP',
    summary: 'Sign out of a server',
    errors: ['not_found'],
    responses: { 200: json(McpServerNamed, 'The server.') },
    isServed: hasMcp,
    handle: async (exchange, context) => {
      const { name } = exchange.params
      if (!(await portOf(context).signOut(name))) throw new AppError('not_found', 'Nobody can sign in there.')
      await recordAudit(context, 'mcp.signed_out', { details: { server: name } })
      return { server: name }
    },
  }),
]

function portOf({ ports }: ServerContext): McpPort {
  if (!ports.mcp) throw new AppError('not_found')
  return ports.mcp
}

/** The account of a sign-in is used by every caller, so only an operator may start one. */
function shownTo({ scopes }: Principal, server: Readonly<Record<string, unknown>>) {
  if (scopes.has('admin')) return server
  const { authorization_url: _, ...rest } = server
  return rest
}

async function finish(context: ServerContext, query: URLSearchParams): Promise<string> {
  const server = await portOf(context)
    .finishSignIn(query)
    .catch((error: unknown) => {
      throw new AppError('bad_request', error instanceof Error ? error.message : String(error))
    })
  if (server === undefined) throw new AppError('bad_request', 'No sign-in in progress fits this address.')
  await recordAudit(context, 'mcp.signed_in', { details: { server } })
  return server
}

const toPage = (text: string): string =>
  `<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>Toolwire</title>\n<p>${text}</p>\n</html>\n`

/**
 * MCP servers in use: their status, and signing in. The server has no screen: the address to open is in the
 * response and the log, and the browser returns to the callback, or its last address is pasted.
 */
import { AppError } from '@toolwire/core'
import { parseBody } from '@toolwire/wire'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Principal } from '../access/principal.ts'
import { recordAudit } from '../access/record-audit.ts'
import type { ServerContext } from '../context.ts'
import type { McpPort } from '../ports/mcp-port.ts'

export const CallbackBody = z.object({ url: z.url().max(16_384) })

export function addMcpRoutes(app: FastifyInstance, context: ServerContext): void {
  const { mcp } = context.config
  if (!mcp) return
  app.get('/api/mcp', async () => ({
    servers: mcp.status().map(server => shownTo(context.principal(), server)),
  }))

  // Needs no key: browsers have none, and the unguessable `state` identifies the sign-in.
  app.get('/api/mcp/callback', { config: { open: true } }, async (request, reply) => {
    const { searchParams } = new URL(request.url, 'http://localhost')
    const outcome = await finish(context, mcp, searchParams).catch((error: unknown) => error)
    const isSignedIn = typeof outcome === 'string'
    reply.code(isSignedIn ? 200 : 400)
    reply.headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
    })
    return toPage(
      isSignedIn ? 'You are signed in. You can close this page.' : 'Signing in did not work. Try again.',
    )
  })

  app.post('/api/mcp/callback', async request => {
    const { url } = parseBody(CallbackBody, request.body)
    return { server: await finish(context, mcp, new URL(url).searchParams) }
  })

  app.delete<{ Params: { name: string } }>('/api/mcp/:name/sign-in', async request => {
    const { name } = request.params
    if (!(await mcp.signOut(name))) throw new AppError('not_found', 'Nobody can sign in there.')
    await recordAudit(context, 'mcp.signed_out', { details: { server: name } })
    return { server: name }
  })
}

/** The account of a sign-in is used by every caller, so only an operator may start one. */
function shownTo({ scopes }: Principal, server: Readonly<Record<string, unknown>>) {
  if (scopes.has('admin')) return server
  const { authorization_url: _, ...rest } = server
  return rest
}

async function finish(context: ServerContext, mcp: McpPort, query: URLSearchParams): Promise<string> {
  const server = await mcp.finishSignIn(query).catch((error: unknown) => {
    throw new AppError('bad_request', error instanceof Error ? error.message : String(error))
  })
  if (server === undefined)
    throw new AppError('bad_request', 'No sign-in that is under way fits this address.')
  await recordAudit(context, 'mcp.signed_in', { details: { server } })
  return server
}

const toPage = (text: string): string =>
  `<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>Toolwire</title>\n<p>${text}</p>\n</html>\n`

/**
 * Pages that MCP servers show beside calls of their tools (MCP Apps): the page, its reads from its own server, and
 * its calls there. A page is identified by its call and reaches nothing beyond that call's server.
 */
import { AppError, findCall } from '@toolwire/core'
import { parseBody } from '@toolwire/wire'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import type { ServerContext } from '../context.ts'
import { findRow, findSession } from '../find-session.ts'
import { appendPageCall, freshPageSession, type PagedCall, pageSessionId } from '../page-session.ts'
import type { PagePort } from '../ports/mcp-port.ts'

export const ResourceQuery = z.object({ uri: z.string().min(1).max(4096) })
export const PageCallBody = z.object({
  /** The tool, as its server names it. */
  name: z.string().min(1).max(256),
  arguments: z.record(z.string(), z.unknown()).default({}),
})

type CallParams = { Params: { id: string; call: string } }

/** Without MCP servers these routes do not exist. */
export function addToolPageRoutes(app: FastifyInstance, context: ServerContext): void {
  const { mcp } = context.config
  if (!mcp) return
  const pages = mcp.pages ?? NO_PAGES

  app.get<CallParams>('/api/sessions/:id/calls/:call/page', async (request, reply) => {
    const call = await findPagedCall(context, request.params)
    const page = await having(pages.read(call.tool, whileOpen(reply)))
    const session_id = pageSessionId(context, call)
    return { ...page, ...((await findRow(context.store, session_id)) ? { session_id } : {}) }
  })

  app.get<CallParams>('/api/sessions/:id/calls/:call/page/resource', async (request, reply) => {
    const call = await findPagedCall(context, request.params)
    const { uri } = parseBody(ResourceQuery, request.query)
    const server = await having(pages.server(call.tool))
    await mustBeAllowed(context, call, { server, uri })
    const { contents } = await having(pages.resource(call.tool, uri, whileOpen(reply)))
    return { contents }
  })

  app.post<CallParams>('/api/sessions/:id/calls/:call/page/calls', async (request, reply) => {
    const call = await findPagedCall(context, request.params)
    const body = parseBody(PageCallBody, request.body)
    const name = pages.callable(call.tool, body.name)
    if (name === undefined)
      throw new AppError(
        'forbidden',
        `The page may not call ${JSON.stringify(body.name.slice(0, 100))}: its server has no such tool for pages.`,
      )
    return await reply.code(202).send(await appendPageCall(context, call, { name, input: body.arguments }))
  })
}

const NO_PAGES: PagePort = {
  read: async () => undefined,
  server: () => undefined,
  callable: () => undefined,
  resource: async () => undefined,
}

/** Throws `session_not_found`, `session_deleted` or `call_not_found`. */
async function findPagedCall(context: ServerContext, { id, call }: CallParams['Params']): Promise<PagedCall> {
  const row = await findSession(context, id)
  const fact = await context.sessions.find(row.id, facts => findCall(facts, call))
  if (!fact) throw new AppError('call_not_found')
  return { row, call_id: call, tool: fact.name }
}

/** Throws `not_found` when there is no page, or its server does not give what was asked for. */
async function having<T>(wanted: Promise<T | undefined> | T | undefined): Promise<T> {
  let got: T | undefined
  try {
    got = await wanted
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new AppError('not_found', `The MCP server does not give it: ${why.slice(0, 500)}`)
  }
  if (got === undefined) throw new AppError('not_found', 'This call has no page.')
  return got
}

/** Reading needs no approval, but a rule may deny it or ask; here no user can be asked. */
async function mustBeAllowed(context: ServerContext, call: PagedCall, input: object): Promise<void> {
  const { explainPermission } = context.config
  if (!explainPermission) throw new AppError('not_found', 'This server explains no permissions.')
  const { decision, reason } = await explainPermission({
    session_id: pageSessionId(context, call),
    session: await freshPageSession(context, call),
    tool: 'ReadMcpResource',
    input,
  })
  if (decision !== 'allow') throw new AppError('forbidden', String(reason ?? 'A rule forbids it.'))
}

/** Ends when the client leaves. */
function whileOpen(reply: FastifyReply): AbortSignal {
  const stop = new AbortController()
  reply.raw.once('close', () => stop.abort())
  return stop.signal
}

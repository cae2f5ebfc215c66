/**
 * Pages that MCP servers show beside calls of their tools (MCP Apps): the page, its reads from its own server, and
 * its calls there. A page is identified by its call and reaches nothing beyond that call's server.
 */
import { AppError, findCall } from '@toolwire/core'
import { z } from 'zod'
import type { ServerContext } from '../context.ts'
import { toSignal } from '../http/exchange.ts'
import { reply } from '../http/reply.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { json, SESSION_ERRORS } from '../openapi/operation.ts'
import { PageCalled, PageContents, ToolPage } from '../openapi/shapes/tool-shapes.ts'
import type { PagePort } from '../ports/mcp-port.ts'
import { findRow, findSession } from '../sessions/find-session.ts'
import { appendPageCall, freshPageSession, type PagedCall, pageSessionId } from '../sessions/page-session.ts'
import { hasMcp } from './mcp.ts'

const ResourceQuery = z.object({ uri: z.string().min(1).max(4096) })
const PageCallBody = z.object({
  /** The tool, as its server names it. */
  name: z.string().min(1).max(256),
  arguments: z.record(z.string(), z.unknown()).default({}),
})

interface CallParams {
  readonly id: string
  readonly call: string
}

export const toolPageRoutes: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/api/sessions/:id/calls/:call/page',
    scope: 'read',
    id: 'readToolPage',
    tag: 'MCP',
    summary: 'The page that an MCP server shows beside a call of its tool',
    errors: ['not_found', 'call_not_found', ...SESSION_ERRORS],
    responses: { 200: json(ToolPage, 'Its HTML, to be shown in a sandboxed frame and nowhere else.') },
    isServed: hasMcp,
    handle: async (exchange, context) => {
      const call = await findPagedCall(context, exchange.params)
      const page = await having(pagesOf(context).read(call.tool, toSignal(exchange.client)))
      const session_id = pageSessionId(context, call)
      return { ...page, ...((await findRow(context.store, session_id)) ? { session_id } : {}) }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/sessions/:id/calls/:call/page/resource',
    scope: 'read',
    id: 'readForToolPage',
    tag: 'MCP',
    summary: 'A resource of the MCP server that the page belongs to',
    query: ResourceQuery,
    errors: ['bad_request', 'forbidden', 'not_found', 'call_not_found', ...SESSION_ERRORS],
    responses: { 200: json(PageContents, 'What the server gave.') },
    isServed: hasMcp,
    handle: async (exchange, context) => {
      const pages = pagesOf(context)
      const call = await findPagedCall(context, exchange.params)
      const { uri } = exchange.parseQuery()
      const server = await having(pages.server(call.tool))
      await mustBeAllowed(context, call, { server, uri })
      const { contents } = await having(pages.resource(call.tool, uri, toSignal(exchange.client)))
      return { contents }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/sessions/:id/calls/:call/page/calls',
    scope: 'write',
    id: 'callFromToolPage',
    tag: 'MCP',
    summary: 'Call a tool of the same MCP server on behalf of the page',
    description:
      'The call is made in a session of the page, by the same rules as any other, approvals included.',
    body: PageCallBody.meta({ id: 'PageCall' }),
    errors: ['bad_request', 'forbidden', 'call_not_found', ...SESSION_ERRORS],
    responses: { 202: json(PageCalled, 'Where to follow the call.') },
    isServed: hasMcp,
    handle: async (exchange, context) => {
      const call = await findPagedCall(context, exchange.params)
      const body = exchange.parseBody()
      const name = pagesOf(context).callable(call.tool, body.name)
      if (name === undefined)
        throw new AppError(
          'forbidden',
          `The page may not call ${JSON.stringify(body.name.slice(0, 100))}: its server has no such tool for pages.`,
        )
      return reply(202, await appendPageCall(context, call, { name, input: body.arguments }))
    },
  }),
]

const pagesOf = ({ ports }: ServerContext): PagePort => ports.mcp?.pages ?? NO_PAGES

const NO_PAGES: PagePort = {
  read: async () => undefined,
  server: () => undefined,
  callable: () => undefined,
  resource: async () => undefined,
}

/** Throws `session_not_found`, `session_deleted` or `call_not_found`. */
async function findPagedCall(context: ServerContext, { id, call }: CallParams): Promise<PagedCall> {
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
  const { explainPermission } = context.ports
  if (!explainPermission) throw new AppError('not_found', 'This server explains no permissions.')
  const { decision, reason } = await explainPermission({
    session_id: pageSessionId(context, call),
    session: await freshPageSession(context, call),
    tool: 'ReadMcpResource',
    input,
  })
  if (decision !== 'allow') throw new AppError('forbidden', String(reason ?? 'A rule forbids it.'))
}

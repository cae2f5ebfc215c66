/** Sessions: create, list, show, change, delete. */
import { AppError, EFFORTS, type EventOf, type SessionEvent, type SessionRow } from '@toolwire/core'
import { draftSession, isSameInput } from '@toolwire/session'
import { z } from 'zod'
import { checkMode } from '../access/permission-modes.ts'
import { recordAudit } from '../access/record-audit.ts'
import { pinAgent, SessionAgentBody } from '../agents/session-agent.ts'
import type { ServerContext } from '../context.ts'
import type { Exchange } from '../http/exchange.ts'
import { readIdempotencyKey } from '../http/idempotency-key.ts'
import { emptyReply, reply } from '../http/reply.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { empty, json, SESSION_ERRORS } from '../openapi/operation.ts'
import { Session, SessionPage as SessionPageShape } from '../openapi/shapes/session-shapes.ts'
import type { ServerPorts } from '../ports.ts'
import { findSession } from '../sessions/find-session.ts'
import { idFromKey } from '../sessions/id-from-key.ts'
import { toCreated, withAgent } from '../sessions/new-session.ts'
import { pageSessions } from '../sessions/page-session.ts'
import { SessionContextBody, SystemBody } from '../sessions/session-prompt.ts'
import { ARCHIVED, markLabels, TAG } from '../sessions/session-tags.ts'
import { type SessionView, toListedView, toSessionView } from '../sessions/session-view.ts'
import { Inputs, withInputs } from '../sessions/short-pending.ts'

const title = z.string().min(1).max(500)
const model = z.string().min(1).max(256)
const permissionMode = z.enum(['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'])
const effort = z.enum(EFFORTS)
const path = z
  .string()
  .min(1)
  .max(4096)
  .refine(value => !value.includes('\0'), { message: 'not a path' })

const CreateBody = z.object({
  title: title.nullish(),
  model: model.nullish(),
  workspace: path.nullish(),
  workspace_path: path.nullish(),
  permission_mode: permissionMode.nullish(),
  effort: effort.nullish(),
  tools: z.array(z.string().min(1).max(128)).max(256).nullish(),
  system: SystemBody.nullish(),
  append_system: z.string().max(100_000).nullish(),
  context: SessionContextBody.nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  agent: SessionAgentBody.nullish(),
})
const tag = z.string().trim().min(1).max(40)
const PatchBody = z
  .object({
    title: title.optional(),
    model: model.optional(),
    permission_mode: permissionMode.optional(),
    effort: effort.optional(),
    tags: z.array(tag).max(20).optional(),
    archived: z.boolean().optional(),
  })
  .refine(body => Object.keys(body).length > 0, {
    message: 'title, model, permission_mode, effort, tags or archived is required',
  })
const ListQuery = z.object({
  text: z.string().max(500).optional(),
  status: z.enum(['idle', 'running', 'paused', 'failed']).optional(),
  tag: tag.optional(),
  /** Those that were put away, and no others; without it they are left out. */
  archived: z.enum(['true', 'false']).optional(),
  cursor: z.string().max(1000).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(20),
  inputs: Inputs,
})

export const sessionRoutes: readonly Route[] = [
  defineRoute({
    method: 'POST',
    path: '/api/sessions',
    scope: 'write',
    id: 'createSession',
    tag: 'Sessions',
    summary: 'Make a session',
    headers: ['Idempotency-Key'],
    body: CreateBody.meta({ id: 'CreateSession' }),
    isBodyOptional: true,
    errors: [
      'bad_request',
      'unknown_model',
      'missing_key',
      'not_found',
      'conflict',
      'session_exists',
      'session_deleted',
    ],
    responses: { 201: json(Session, 'The session.') },
    handle: async (exchange, context) => {
      const id = await createSession(context, exchange, exchange.parseBody())
      return reply(201, await show(context, id))
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/sessions',
    scope: 'read',
    id: 'listSessions',
    tag: 'Sessions',
    summary: 'List sessions, the last updated first',
    query: ListQuery,
    errors: ['bad_request', 'invalid_cursor'],
    responses: {
      200: json(SessionPageShape, 'One page; it may be shorter than asked for and still have a next one.'),
    },
    handle: async (exchange, context) => {
      const { limit, inputs, ...query } = exchange.parseQuery()
      const { sessions, next_cursor } = await listSessions(context, query, limit)
      return {
        sessions: sessions.map(view => ({ ...view, pending: withInputs(view.pending, inputs) })),
        next_cursor,
      }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/sessions/:id',
    scope: 'read',
    id: 'getSession',
    tag: 'Sessions',
    summary: 'Show a session',
    errors: SESSION_ERRORS,
    responses: { 200: json(Session, 'The session, exact at this moment.') },
    handle: async (exchange, context) => await show(context, exchange.params.id),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/api/sessions/:id',
    scope: 'write',
    id: 'updateSession',
    tag: 'Sessions',
    summary: 'Change the title, the model or the permission mode',
    body: PatchBody.meta({ id: 'UpdateSession' }),
    errors: ['bad_request', 'unknown_model', 'missing_key', ...SESSION_ERRORS],
    responses: { 200: json(Session, 'The session after the change.') },
    handle: async (exchange, context) => {
      const row = await findSession(context, exchange.params.id)
      await updateSession(context, row, exchange.parseBody())
      return await show(context, row.id)
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/sessions/:id',
    scope: 'write',
    id: 'deleteSession',
    tag: 'Sessions',
    summary: 'Delete a session',
    errors: SESSION_ERRORS,
    responses: { 204: empty('It is gone.') },
    handle: async (exchange, context) => {
      const { store, sessions } = context
      const row = await findSession(context, exchange.params.id)
      for (const id of [row.id, ...(await pageSessions(context, row.id))]) {
        await store.remove(id)
        sessions.forget(id)
      }
      return emptyReply(204)
    },
  }),
]

async function updateSession(
  context: ServerContext,
  row: SessionRow,
  patch: z.output<typeof PatchBody>,
): Promise<void> {
  if (patch.model !== undefined) context.ports.checkModel(patch.model)
  checkMode(context.principal(), patch.permission_mode, context.settings.permissionMode)
  await context.sessions.append({
    writes: [
      {
        session: row.id,
        events: [{ type: 'session.updated', ts: context.clock.now().toISOString(), ...patch }],
        index: {
          ...(patch.title === undefined ? {} : { title: patch.title }),
          labels: {
            ...(patch.model === undefined ? {} : { model: patch.model }),
            ...(patch.effort === undefined ? {} : { effort: patch.effort }),
            ...markLabels(row.labels, patch),
          },
        },
      },
    ],
    wakes: false,
  })
  if (patch.permission_mode !== undefined)
    await recordAudit(context, 'permission_mode.changed', {
      session_id: row.id,
      details: { permission_mode: patch.permission_mode },
    })
}

async function show(context: ServerContext, id: string): Promise<SessionView> {
  const row = await findSession(context, id)
  return toSessionView(row, await context.sessions.facts(row.id))
}

async function createSession(
  context: ServerContext,
  exchange: Exchange,
  request: z.output<typeof CreateBody>,
): Promise<string> {
  const { settings, ports } = context
  const folder = request.workspace ?? request.workspace_path ?? undefined
  const agent = request.agent ? await pinAgent(context, request.agent, folder) : undefined
  const body = agent ? withAgent(request, agent) : request
  if (body.model) ports.checkModel(body.model)
  checkMode(context.principal(), body.permission_mode, settings.permissionMode)
  await checkEngine(body.metadata?.['engine'], ports)
  const key = readIdempotencyKey(exchange)
  const id = key === undefined ? context.ids.uuid() : idFromKey('session', context.principal().owner, key)
  const created = toCreated(context, body, agent)
  const { items } = await context.sessions.append({
    ...draftSession(id, created),
    ...(key === undefined ? {} : { compare: recorded => compareSessions(recorded, created) }),
  })
  if (items[0]?.isFirst) await auditMode(context, id, body.permission_mode)
  return id
}

/** A mode other than the server's default is a decision of the caller. */
async function auditMode(
  context: ServerContext,
  session_id: string,
  permission_mode: string | null | undefined,
): Promise<void> {
  if (!permission_mode || permission_mode === context.settings.permissionMode) return
  await recordAudit(context, 'permission_mode.chosen', { session_id, details: { permission_mode } })
}

/** The session that this key created must have been requested with the same options. */
function compareSessions(
  { ts: _, ...recorded }: SessionEvent,
  { ts: __, ...created }: EventOf<'session.created'>,
): AppError | undefined {
  if (isSameInput(recorded, created)) return undefined
  return new AppError('conflict', 'This Idempotency-Key was used for a session with other options.')
}

/** A session's engine is fixed at its start; an unknown name would fail every run. */
async function checkEngine(name: unknown, ports: ServerPorts): Promise<void> {
  if (name === undefined || name === null) return
  if (typeof name !== 'string' || name === '')
    throw new AppError('bad_request', 'metadata.engine: the name of an engine')
  await ports.checkEngine(name)
}

type SessionPage = { readonly sessions: readonly SessionView[]; readonly next_cursor: string | null }

/**
 * Status comes from the log, so pages are filtered after reading, as for archived sessions; a page may be shorter
 * than requested.
 */
async function listSessions(
  context: ServerContext,
  query: {
    readonly text?: string | undefined
    readonly status?: SessionView['status'] | undefined
    readonly tag?: string | undefined
    readonly archived?: 'true' | 'false' | undefined
    readonly cursor?: string | undefined
  },
  limit: number,
): Promise<SessionPage> {
  const state = query.status === 'failed' ? 'idle' : query.status
  const archived = query.archived === 'true'
  const page = await context.store.list({
    limit,
    labels: {
      ...(archived ? { [ARCHIVED]: '1' } : {}),
      ...(query.tag === undefined ? {} : { [TAG + query.tag]: '1' }),
    },
    ...(state === undefined ? {} : { state }),
    ...(query.text === undefined || query.text === '' ? {} : { text: query.text }),
    ...(query.cursor === undefined ? {} : { after: query.cursor }),
  })
  const rows = page.items.filter((row: SessionRow) => (row.labels[ARCHIVED] !== undefined) === archived)
  const views = await Promise.all(rows.map((row: SessionRow) => toListedView(context, row)))
  const sessions = query.status === undefined ? views : views.filter(view => view.status === query.status)
  return { sessions, next_cursor: page.next }
}

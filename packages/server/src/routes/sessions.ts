/** Sessions: create, list, show, change, delete. */
import { AppError, EFFORTS, type EventOf, type SessionEvent, type SessionRow } from '@toolwire/core'
import { draftSession, isSameInput } from '@toolwire/session'
import { parseBody } from '@toolwire/wire'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { checkMode } from '../access/permission-modes.ts'
import { recordAudit } from '../access/record-audit.ts'
import { chooseWorkspace } from '../choose-workspace.ts'
import { defaultModel, type ServerConfig } from '../config.ts'
import type { ServerContext } from '../context.ts'
import { findSession } from '../find-session.ts'
import { idFromKey } from '../id-from-key.ts'
import { readIdempotencyKey } from '../idempotency-key.ts'
import { pageSessions } from '../page-session.ts'
import { SessionContextBody, toPromptFields } from '../session-prompt.ts'
import { ARCHIVED, markLabels, TAG } from '../session-tags.ts'
import { type SessionView, toListedView, toSessionView } from '../session-view.ts'
import { Inputs, withInputs } from '../short-pending.ts'

const title = z.string().min(1).max(500)
const model = z.string().min(1).max(256)
const permissionMode = z.enum(['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'])
const effort = z.enum(EFFORTS)
const path = z
  .string()
  .min(1)
  .max(4096)
  .refine(value => !value.includes('\0'), { message: 'not a path' })

export const CreateBody = z.object({
  title: title.nullish(),
  model: model.nullish(),
  workspace: path.nullish(),
  workspace_path: path.nullish(),
  permission_mode: permissionMode.nullish(),
  effort: effort.nullish(),
  tools: z.array(z.string().min(1).max(128)).max(256).nullish(),
  system: z.string().max(1_000_000).nullish(),
  append_system: z.string().max(100_000).nullish(),
  context: SessionContextBody.nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
})
const tag = z.string().trim().min(1).max(40)
export const PatchBody = z
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
export const ListQuery = z.object({
  text: z.string().max(500).optional(),
  status: z.enum(['idle', 'running', 'paused', 'failed']).optional(),
  tag: tag.optional(),
  /** Those that were put away, and no others; without it they are left out. */
  archived: z.enum(['true', 'false']).optional(),
  cursor: z.string().max(1000).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(20),
  inputs: Inputs,
})

type IdParams = { Params: { id: string } }

export function addSessionRoutes(app: FastifyInstance, context: ServerContext): void {
  const { store, sessions } = context

  app.post('/api/sessions', async (request, reply) => {
    const id = await createSession(context, request)
    return await reply.code(201).send(await show(context, id))
  })

  app.get('/api/sessions', async request => {
    const { limit, inputs, ...query } = parseBody(ListQuery, request.query)
    const { sessions, next_cursor } = await listSessions(context, query, limit)
    return {
      sessions: sessions.map(view => ({ ...view, pending: withInputs(view.pending, inputs) })),
      next_cursor,
    }
  })

  app.get<IdParams>('/api/sessions/:id', async request => await show(context, request.params.id))

  app.patch<IdParams>('/api/sessions/:id', async request => {
    const row = await findSession(context, request.params.id)
    const patch = parseBody(PatchBody, request.body)
    if (patch.model !== undefined) context.config.checkModel(patch.model)
    checkMode(context.principal(), patch.permission_mode, context.config.permissionMode)
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
    return await show(context, row.id)
  })

  app.delete<IdParams>('/api/sessions/:id', async (request, reply) => {
    const row = await findSession(context, request.params.id)
    for (const id of [row.id, ...(await pageSessions(context, row.id))]) {
      await store.remove(id)
      sessions.forget(id)
    }
    return await reply.code(204).send()
  })
}

async function show(context: ServerContext, id: string): Promise<SessionView> {
  const row = await findSession(context, id)
  return toSessionView(row, await context.sessions.facts(row.id))
}

/** The first event of a session, with the server's defaults for what the request leaves open. */
function toCreated(context: ServerContext, body: z.output<typeof CreateBody>): EventOf<'session.created'> {
  const { config } = context
  const effort = body.effort ?? config.effort
  return {
    type: 'session.created',
    ts: context.clock.now().toISOString(),
    cwd: chooseWorkspace(context, body.workspace ?? body.workspace_path ?? undefined),
    model: body.model ?? defaultModel(config),
    tools: body.tools ?? [...config.toolNames],
    permission_mode: body.permission_mode ?? config.permissionMode,
    ...(effort === undefined ? {} : { effort }),
    ...(body.title ? { title: body.title } : {}),
    ...toPromptFields(body),
    ...(body.metadata ? { metadata: body.metadata } : {}),
  }
}

async function createSession(context: ServerContext, request: FastifyRequest): Promise<string> {
  const { config } = context
  const body = parseBody(CreateBody, request.body)
  if (body.model) config.checkModel(body.model)
  checkMode(context.principal(), body.permission_mode, config.permissionMode)
  await checkEngine(body.metadata?.['engine'], config)
  const key = readIdempotencyKey(request)
  const id = key === undefined ? context.ids.uuid() : idFromKey('session', context.principal().owner, key)
  const created = toCreated(context, body)
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
  if (!permission_mode || permission_mode === context.config.permissionMode) return
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
async function checkEngine(name: unknown, config: ServerConfig): Promise<void> {
  if (name === undefined || name === null) return
  if (typeof name !== 'string' || name === '')
    throw new AppError('bad_request', 'metadata.engine: the name of an engine')
  await config.checkEngine(name)
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

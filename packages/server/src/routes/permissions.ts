/** Why a call would be allowed, asked about or denied: POST /api/permissions/explain. */
import { AppError, type EventOf, initial, type SessionState } from '@toolwire/core'
import { parseBody } from '@toolwire/wire'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { ServerContext } from '../context.ts'
import { findSession } from '../find-session.ts'
import { foldSession } from '../fold-session.ts'

const ExplainBody = z.object({
  tool: z.string().min(1).max(256),
  input: z.unknown().optional(),
  /** Its mode, workspace and remembered rules decide; the server's defaults without it. */
  session_id: z.string().min(1).max(128).nullish(),
  permission_mode: z.enum(['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions']).nullish(),
})

/** Nothing is run, recorded or remembered. */
export function addPermissionRoutes(app: FastifyInstance, context: ServerContext): void {
  app.post('/api/permissions/explain', async request => {
    const { explainPermission } = context.config
    if (!explainPermission) throw new AppError('not_found', 'This server explains no permissions.')
    const { tool, input, session_id, permission_mode } = parseBody(ExplainBody, request.body)
    const id = session_id ?? ''
    const state = session_id ? await readSession(context, session_id) : freshSession(context)
    const session = permission_mode ? { ...state, permission_mode } : state
    return await explainPermission({ session_id: id, session, tool, input: input ?? {} })
  })
}

async function readSession(context: ServerContext, id: string): Promise<SessionState> {
  const row = await findSession(context.store, id)
  return await foldSession(context.reader, row.id)
}

/** A session as POST /api/sessions would make it without a body. */
function freshSession({ config, clock }: ServerContext): SessionState {
  const { workspace, model, permissionMode, toolNames } = config
  const created: EventOf<'session.created'> = {
    type: 'session.created',
    ts: clock.now().toISOString(),
    cwd: workspace,
    model,
    tools: [...toolNames],
    permission_mode: permissionMode,
  }
  return { ...initial(), created, model, permission_mode: permissionMode }
}

/** A key's facts about itself, and the audit trail. */
import { parseBody } from '@toolwire/wire'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { listAudit } from '../access/audit.ts'
import { settleLeftAudits } from '../access/planned-audit.ts'
import { readSpending } from '../access/spending.ts'
import type { ServerContext } from '../context.ts'

export const AuditQuery = z.object({ limit: z.coerce.number().int().min(1).max(1000).default(100) })

export function addAccessRoutes(app: FastifyInstance, context: ServerContext): void {
  const { records } = context

  app.get('/api/me', async () => {
    const { owner, key_id, scopes, limits } = context.principal()
    const spent = records && key_id !== null ? await readSpending(records, key_id) : null
    return { owner, key_id, scopes: [...scopes], limits, spent }
  })

  app.get('/api/audit', async request => {
    const { limit } = parseBody(AuditQuery, request.query)
    const { owner, unbounded } = context.principal()
    if (!records) return { entries: [] }
    await settleLeftAudits(records, context.sessions.reader, context.clock.now())
    return { entries: await listAudit(records, unbounded ? undefined : owner, limit) }
  })
}

/** A key's facts about itself, and the audit trail. */
import { z } from 'zod'
import { listAudit } from '../access/audit.ts'
import { readBudgets } from '../access/budgets.ts'
import { settleLeftAudits } from '../access/planned-audit.ts'
import type { TokenFacts } from '../access/principal.ts'
import { readSpending } from '../access/spending.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { json } from '../openapi/operation.ts'
import { AuditTrail, Myself } from '../openapi/shapes/server-shapes.ts'

const AuditQuery = z.object({ limit: z.coerce.number().int().min(1).max(1000).default(100) })

export const accessRoutes: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/api/me',
    scope: 'read',
    id: 'getMyself',
    tag: 'Server',
    summary: 'What the API key of this request may do, and has spent',
    responses: { 200: json(Myself, 'A server without keys knows one owner who may do everything.') },
    handle: async (_, { principal, records, clock }) => {
      const {
        owner,
        key_id,
        source,
        expires_at = null,
        scopes,
        limits,
        models,
        budgets = [],
        token,
      } = principal()
      const spent = records && key_id !== null ? await readSpending(records, key_id) : null
      const { maker } = token ?? {}
      const holder = maker
        ? { subject: maker.key_id, budgets: maker.budgets }
        : { subject: key_id ?? '', budgets }
      const states = records ? await readBudgets(records, holder, clock.now()) : []
      const caller = {
        owner,
        key_id,
        source,
        expires_at,
        scopes: [...scopes],
        limits,
        models,
        spent,
        budgets: states,
      }
      return { ...caller, ...(token ? { token: toView(token) } : {}) }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/audit',
    scope: 'admin',
    id: 'listAudit',
    tag: 'Server',
    summary: 'Who decided on calls and who changed permissions or keys',
    query: AuditQuery,
    errors: ['bad_request'],
    responses: { 200: json(AuditTrail, 'The latest entries, oldest first.') },
    handle: async (exchange, { principal, records, sessions, clock }) => {
      const { limit } = exchange.parseQuery()
      const { owner, unbounded } = principal()
      if (!records) return { entries: [] }
      await settleLeftAudits(records, sessions.reader, clock.now())
      return { entries: await listAudit(records, unbounded ? undefined : owner, limit) }
    },
  }),
]

const toView = ({ id, expires_at, sessions }: TokenFacts) => ({
  id,
  expires_at: new Date(expires_at).toISOString(),
  sessions: sessions ?? null,
})

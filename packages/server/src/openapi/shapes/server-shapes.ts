/** The server itself: health, models, settings, keys and the audit trail. */
import { z } from 'zod'
import { AuditEntry } from '../../access/audit.ts'
import { Budget } from '../../access/budget-period.ts'
import { SCOPES, SOURCES } from '../../access/principal.ts'
import { Spent } from '../../access/spending.ts'

export const Alive = z.object({ status: z.literal('ok'), version: z.string() }).meta({ id: 'Alive' })

export const Ready = z
  .object({
    status: z.literal('ready'),
    streams: z.number().int().describe('Event streams that are open.'),
    worker: z
      .boolean()
      .optional()
      .describe('Where this process runs no sessions: whether another one does. Without it messages wait.'),
  })
  .meta({ id: 'Ready' })

export const ModelList = z
  .object({
    default: z.string(),
    models: z.array(
      z.looseObject({
        id: z.string(),
        context: z.number().optional().describe('Tokens of a request with its answer.'),
        max_output: z.number().optional(),
        efforts: z
          .array(z.string())
          .optional()
          .describe('How much it can be asked to think, least first; empty when it cannot think.'),
        price: z
          .object({
            input: z.number(),
            output: z.number(),
            cache_read: z.number().optional(),
            cache_write: z.number().optional(),
          })
          .optional()
          .describe('US dollars per million tokens; absent when unknown.'),
      }),
    ),
  })
  .meta({ id: 'ModelList' })

export const Settings = z
  .object({
    version: z.string(),
    model: z.string(),
    permission_mode: z.string(),
    effort: z.string().nullable().describe('How much models are asked to think in new sessions.'),
    workspace: z.string(),
    memory: z.object({ enabled: z.boolean() }),
    sandbox: z
      .object({
        enabled: z.boolean(),
        available: z.boolean(),
        reason: z.string(),
        network: z.boolean(),
        required: z.boolean(),
      })
      .nullable(),
  })
  .meta({ id: 'Settings' })

export const Storage = z
  .object({
    sessions: z.number().int(),
    events: z.number().int(),
    rows: z.number().int(),
    bytes: z.number().int().describe('Size of the database.'),
    by_state: z.record(z.string(), z.number().int()),
    is_estimate: z.literal(true).optional().describe('Set when a large database was not counted.'),
    prunable: z.array(
      z.object({
        older_than_days: z.number().int(),
        sessions: z.number().int().describe('What `toolwire db prune` would delete.'),
      }),
    ),
    place: z.object({ engine: z.enum(['sqlite', 'postgres']), data: z.string() }).nullable(),
  })
  .meta({ id: 'Storage' })

export const Findings = z
  .object({
    findings: z.array(
      z.object({
        state: z.enum(['good', 'note', 'bad']),
        what: z.string(),
        mend: z.string().optional().describe('What to do about it.'),
      }),
    ),
  })
  .meta({ id: 'Findings' })

const BudgetView = z.object({
  ...Budget.shape,
  current: z.string().describe('The period, such as `2026-11`.'),
  used: z.object({ usd: z.number(), tokens: z.number(), runs: z.number() }),
  warning: z.boolean(),
})

export const Myself = z
  .object({
    owner: z.string(),
    key_id: z.string().nullable(),
    source: z.enum(SOURCES).describe('How the caller signed in.'),
    expires_at: z.string().nullable().describe('Of the key or sign-in; null if it has no end.'),
    scopes: z.array(z.enum(SCOPES)),
    limits: z.object({
      requests_per_minute: z.number().nullable(),
      concurrent: z.number().nullable(),
      budget_usd: z.number().nullable(),
    }),
    models: z.array(z.string()).nullable().describe('Models that the caller may use; null for all.'),
    spent: Spent.nullable(),
    budgets: z.array(BudgetView).describe('With what is used in the current period; a warning from 80 % on.'),
    token: z
      .object({
        id: z.string(),
        expires_at: z.string(),
        sessions: z.union([z.array(z.string()), z.literal('new')]).nullable(),
      })
      .optional()
      .describe('The browser token of this request.'),
  })
  .meta({ id: 'Myself' })

export const AuditTrail = z.object({ entries: z.array(AuditEntry) }).meta({ id: 'AuditTrail' })

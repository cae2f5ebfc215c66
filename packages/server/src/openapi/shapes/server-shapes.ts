/** The server itself: health, models, settings, keys and the audit trail. */
import { z } from 'zod'
import { AuditEntry } from '../../access/audit.ts'
import { SCOPES } from '../../access/principal.ts'
import { Spent } from '../../access/spending.ts'

export const Alive = z.object({ status: z.literal('ok'), version: z.string() }).meta({ id: 'Alive' })

export const Ready = z
  .object({ status: z.literal('ready'), streams: z.number().int().describe('Event streams that are open.') })
  .meta({ id: 'Ready' })

export const ModelList = z
  .object({
    default: z.string(),
    models: z.array(
      z.looseObject({
        id: z.string(),
        context: z.number().optional().describe('Tokens of a request with its answer.'),
        max_output: z.number().optional(),
      }),
    ),
  })
  .meta({ id: 'ModelList' })

export const Settings = z
  .object({
    version: z.string(),
    model: z.string(),
    permission_mode: z.string(),
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

export const Myself = z
  .object({
    owner: z.string(),
    key_id: z.string().nullable(),
    scopes: z.array(z.enum(SCOPES)),
    limits: z.object({
      requests_per_minute: z.number().nullable(),
      concurrent: z.number().nullable(),
      budget_usd: z.number().nullable(),
    }),
    spent: Spent.nullable(),
  })
  .meta({ id: 'Myself' })

export const AuditTrail = z.object({ entries: z.array(AuditEntry) }).meta({ id: 'AuditTrail' })

/** API keys, without their secrets. */
import { z } from 'zod'
import { Budgets } from '../../access/budget-period.ts'
import { ModelNames } from '../../access/model-names.ts'
import { OwnerName } from '../../access/owner-name.ts'
import { SCOPES } from '../../access/principal.ts'
import { Spent } from '../../access/spending.ts'

const limit = z.number().positive().nullable()

const settings = {
  name: z.string().min(1).max(100),
  scopes: z.array(z.enum(SCOPES)).min(1).describe('Some of those that the caller has.'),
  expires_at: z.iso.datetime().nullable().describe('Null for a key that does not expire.'),
  requests_per_minute: limit,
  concurrent: limit.describe('Requests and runs at once.'),
  budget_usd: limit.describe('Dollars after which new work is refused.'),
  budgets: Budgets.describe('By periods; all of them hold, beside `budget_usd`, which never begins again.'),
  models: ModelNames.nullable().describe(
    'Models that it may use, or beginnings such as `anthropic/*`; null for all.',
  ),
}

export const NewApiKey = z
  .strictObject({
    ...z.object(settings).partial().shape,
    name: settings.name,
    owner: OwnerName.optional().describe('The caller’s own owner when absent.'),
    workspace: z
      .string()
      .min(1)
      .max(4096)
      .nullable()
      .optional()
      .describe('The only folder for its sessions.'),
  })
  .meta({ id: 'NewApiKey' })

export const ApiKeyChange = z
  .strictObject(z.object(settings).partial().shape)
  .refine(change => Object.keys(change).length > 0, 'at least one field')
  .meta({ id: 'ApiKeyChange' })

export const RotateApiKey = z
  .strictObject({
    grace_minutes: z
      .number()
      .min(0)
      .max(10_080)
      .default(0)
      .describe('The secret before stays valid for so long. A secret that leaked gets none.'),
  })
  .meta({ id: 'RotateApiKey' })

export const ApiKeyView = z
  .object({
    id: z.string(),
    ...settings,
    owner: z.string(),
    workspace: z.string().nullable(),
    created_at: z.string(),
    revoked_at: z.string().nullable(),
    previous_until: z
      .string()
      .nullable()
      .describe('Until then the secret before the last rotation is valid.'),
    last_used_at: z.string().nullable().describe('To the minute.'),
    spent: Spent,
  })
  .meta({ id: 'ApiKey' })

export const ApiKeySecret = z
  .object({ key: z.string().describe('Shown this once.'), ...ApiKeyView.shape })
  .meta({ id: 'ApiKeySecret' })

export const ApiKeyPage = z
  .object({ keys: z.array(ApiKeyView), next_cursor: z.string().nullable() })
  .meta({ id: 'ApiKeyPage' })

/** Browser tokens and tickets. */
import { z } from 'zod'
import { TOKEN_SCOPES } from '../../access/browser-token.ts'
import { ModelNames } from '../../access/model-names.ts'
import { OwnerName } from '../../access/owner-name.ts'

const SessionId = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/, 'must be the id of a session')
const limit = z.number().positive().nullable().default(null)

/** `scheme://host[:port]`, as browsers send it. */
const PageOrigin = z
  .string()
  .max(255)
  .refine(text => URL.canParse(text) && new URL(text).origin === text && text !== 'null', 'must be an origin')

export const NewBrowserToken = z
  .strictObject({
    owner: OwnerName.describe('The user. Sessions of this owner are what the token reaches.'),
    sessions: z
      .union([z.array(SessionId).min(1).max(100), z.literal('new')])
      .optional()
      .describe(
        'The only sessions that it reaches; `new` for those that it makes. All of the owner when absent.',
      ),
    scopes: z
      .array(z.string().max(40))
      .min(1)
      .optional()
      .describe(`Of ${TOKEN_SCOPES.join(', ')}; those that the caller has when absent.`),
    minutes: z.number().int().min(1).max(60).default(10),
    limits: z
      .strictObject({
        requests_per_minute: limit,
        concurrent: limit,
        budget_usd: limit.describe('Of all that this owner spends by tokens of the same key.'),
      })
      .optional(),
    models: ModelNames.optional().describe(
      'Models that it may use, of those of the caller; all of these when absent.',
    ),
    origins: z.array(PageOrigin).min(1).max(10).optional().describe('The only pages that may send it.'),
    name: z.string().min(1).max(100).optional().describe('For the audit trail.'),
  })
  .meta({ id: 'NewBrowserToken' })

export const BrowserToken = z
  .object({
    token: z.string(),
    token_id: z.string(),
    owner: z.string(),
    scopes: z.array(z.enum(TOKEN_SCOPES)),
    expires_at: z.string(),
  })
  .meta({ id: 'BrowserToken' })

export const RevokeTokens = z
  .union([z.strictObject({ token_id: z.string().min(1).max(100) }), z.strictObject({ owner: OwnerName })])
  .meta({ id: 'RevokeTokens' })

export const TokensRevoked = z.object({ revoked: z.literal(true) }).meta({ id: 'TokensRevoked' })

export const NewTicket = z
  .strictObject({
    session: SessionId,
    path: z
      .string()
      .max(512)
      .regex(/^\/[^?#\s]*$/, 'must be a path without a query')
      .describe('Of the only request that may use the ticket.'),
  })
  .meta({ id: 'NewTicket' })

export const Ticket = z.object({ ticket: z.string(), expires_at: z.string() }).meta({ id: 'Ticket' })

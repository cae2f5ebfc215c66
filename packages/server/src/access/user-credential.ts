/** A caller that the application has signed in, in a form that a log can keep: for a response that is read later. */
import { z } from 'zod'
import { OwnerName } from './owner-name.ts'
import { type Principal, SCOPES } from './principal.ts'

const PREFIX = 'user.'

const limit = z.number().positive().nullable()

const UserClaims = z.strictObject({
  key_id: z.string(),
  owner: OwnerName,
  scopes: z.array(z.enum(SCOPES)),
  limits: z.strictObject({ requests_per_minute: limit, concurrent: limit, budget_usd: limit }),
  models: z.array(z.string()).nullable().default(null),
  workspace: z.string().nullable(),
  source: z.enum(['application', 'jwt']).default('application'),
  /** Milliseconds since 1970; never when null. */
  expires_at: z.number().nullable(),
})

export const isUserCredential = (credential: string): boolean => credential.startsWith(PREFIX)

/** `expiresAt` in milliseconds since 1970. */
export function toUserCredential(principal: Principal, expiresAt: number | undefined): string {
  const { key_id, owner, scopes, limits, models, workspace, source } = principal
  const claims = {
    key_id: key_id ?? '',
    owner,
    scopes: [...scopes],
    limits,
    models,
    workspace,
    source,
    expires_at: expiresAt ?? null,
  }
  return PREFIX + Buffer.from(JSON.stringify(claims)).toString('base64url')
}

/** Undefined once it has expired. */
export function readUserCredential(credential: string, now: Date): Principal | undefined {
  const claims = parse(Buffer.from(credential.slice(PREFIX.length), 'base64url').toString('utf8'))
  if (!claims || (claims.expires_at !== null && claims.expires_at <= now.getTime())) return undefined
  const { expires_at, scopes, ...same } = claims
  return {
    ...same,
    scopes: new Set(scopes),
    unbounded: false,
    credential,
    ...(expires_at === null ? {} : { expires_at: new Date(expires_at).toISOString() }),
  }
}

function parse(text: string): z.infer<typeof UserClaims> | undefined {
  try {
    return UserClaims.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/**
 * Browser tokens: what a page may hold, for minutes. The token carries its claims and a digest of them (HMAC), so
 * checking one reads nothing. Text: `twt_<signing key>.<claims>.<digest>`.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { OwnerName } from './owner-name.ts'
import { NO_LIMITS } from './principal.ts'

/** Scopes that a token can have. Nothing that a stolen one could spread with. */
export const TOKEN_SCOPES = ['read', 'write', 'approve', 'gateway', 'mcp'] as const
export type TokenScope = (typeof TOKEN_SCOPES)[number]

const limit = z.number().positive().nullable()

const TokenClaims = z.strictObject({
  id: z.string(),
  /** The API key that made it, with which it ends. */
  key: z.string().optional(),
  /** Made on a server that asked for no keys: it ends when the server asks for one. */
  keyless: z.literal(true).optional(),
  owner: OwnerName,
  scopes: z.array(z.enum(TOKEN_SCOPES)).min(1),
  /** Sessions that it reaches: these, or those that it makes; all of the owner's when absent. */
  sessions: z.union([z.array(z.string()).min(1), z.literal('new')]).optional(),
  limits: z
    .strictObject({ requests_per_minute: limit, concurrent: limit, budget_usd: limit })
    .default(NO_LIMITS),
  models: z.array(z.string()).nullable().default(null),
  workspace: z.string().nullable().default(null),
  /** Pages that may send it. */
  origins: z.array(z.string()).min(1).optional(),
  /** Milliseconds since 1970. */
  issued_at: z.number(),
  expires_at: z.number(),
})
export type TokenClaims = z.infer<typeof TokenClaims>

export interface SigningKey {
  readonly id: string
  readonly secret: string
}

const PREFIX = 'twt_'
/** Headers have room for twice as much. */
export const MAX_TOKEN = 8192

export const isBrowserToken = (text: string): boolean => text.startsWith(PREFIX)

export function signToken(claims: TokenClaims, { id, secret }: SigningKey): string {
  const signed = `${id}.${packClaims(claims)}`
  return `${PREFIX}${signed}.${digestOf(signed, secret)}`
}

/** The signing key that a token names, and its claims as text; undefined if it is not of our making. */
function split(
  token: string,
): { readonly key_id: string; readonly packed: string; readonly digest: string } | undefined {
  if (token.length > MAX_TOKEN) return undefined
  const [, key_id, packed, digest] = /^twt_([\w-]{1,32})\.([\w-]+)\.([\w-]{43})$/.exec(token) ?? []
  if (key_id === undefined || packed === undefined || digest === undefined) return undefined
  return { key_id, packed, digest }
}

/** The claims of a token that one of the keys has signed; undefined otherwise. Times are not checked. */
export function readToken(token: string, keys: readonly SigningKey[]): TokenClaims | undefined {
  const parts = split(token)
  const key = parts && keys.find(({ id }) => id === parts.key_id)
  if (!parts || !key) return undefined
  const expected = digestOf(`${parts.key_id}.${parts.packed}`, key.secret)
  // As texts: several texts decode to the same bytes, and only one is the token.
  return timingSafeEqual(Buffer.from(expected), Buffer.from(parts.digest))
    ? unpackClaims(parts.packed)
    : undefined
}

export const packClaims = (claims: TokenClaims): string =>
  Buffer.from(JSON.stringify(claims)).toString('base64url')

/** Claims from a place that only this server writes to. */
export function unpackClaims(packed: string): TokenClaims | undefined {
  try {
    const claims = TokenClaims.safeParse(JSON.parse(Buffer.from(packed, 'base64url').toString('utf8')))
    return claims.success ? claims.data : undefined
  } catch {
    return undefined
  }
}

/** The purpose is a part of the text, so that no other digest by this key passes for a token. */
const digestOf = (signed: string, secret: string): string =>
  createHmac('sha256', secret).update(`toolwire browser token\n${signed}`).digest('base64url')

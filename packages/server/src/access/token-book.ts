/**
 * Browser tokens of this server: makes them, and finds their principals. Signing keys and revocations are read again
 * after a second.
 */
import { randomBytes } from 'node:crypto'
import { AppError, isAllowedModel, RecentMap, type Records } from '@toolwire/core'
import {
  isBrowserToken,
  MAX_TOKEN,
  packClaims,
  readToken,
  type SigningKey,
  signToken,
  type TokenClaims,
  unpackClaims,
} from './browser-token.ts'
import type { KeyRegistry } from './key-registry.ts'
import { holds, type Limits, NO_LIMITS, type Principal } from './principal.ts'
import { findUnrevoked, loadSigningKeys } from './token-records.ts'

export interface TokenBook {
  /** Throws `not_found` on a server without records, and `bad_request` for more claims than a header holds. */
  make(wanted: NewToken): Promise<MadeToken>
  /** Undefined for a token that is forged, expired or revoked, or whose key ended. Throws what the records throw. */
  find(token: string): Promise<Principal | undefined>
  /** As `find`, for the credential of a principal that `find` returned; by a new read of the records. */
  findHolder(credential: string): Promise<Principal | undefined>
  /** Those of the credentials that may be used now. Never rejects: what cannot be read is as it was. */
  findCurrent(credentials: readonly string[]): Promise<ReadonlySet<string>>
}

export type NewToken = Omit<TokenClaims, 'id' | 'issued_at'>

interface MadeToken {
  readonly token: string
  readonly token_id: string
  readonly expires_at: string
}

export interface TokenBookOptions {
  readonly keys: Pick<KeyRegistry, 'required' | 'findById'>
  readonly records?: Records | undefined
  readonly now: () => Date
  /** Monotonic milliseconds; the process's own clock by default. */
  readonly ticks?: () => number
}

const FRESH_MS = 1000
const MAX_CHECKED = 10_000
const CREDENTIAL = 'token.'

export const isTokenCredential = (credential: string): boolean => credential.startsWith(CREDENTIAL)

export function createTokenBook(options: TokenBookOptions): TokenBook {
  const { keys, records, now, ticks = () => performance.now() } = options
  let signing: { readonly keys: readonly SigningKey[]; readonly at: number } | undefined
  /** By id of a token that was found unrevoked: when. */
  const checked = new RecentMap<string, number>(MAX_CHECKED)

  async function signingKeys(): Promise<readonly SigningKey[]> {
    if (!records) return []
    const at = ticks()
    if (!signing || at - signing.at >= FRESH_MS) signing = { keys: await loadSigningKeys(records), at }
    return signing.keys
  }
  async function isUnrevoked(claims: TokenClaims): Promise<boolean> {
    const at = ticks()
    if (at - (checked.get(claims.id) ?? Number.NEGATIVE_INFINITY) < FRESH_MS) return true
    if (!records || (await findUnrevoked(records, [claims])).length === 0) return false
    checked.set(claims.id, at)
    return true
  }
  /** Undefined when the key that made the token has ended, or the token itself. */
  async function toHolder(claims: TokenClaims): Promise<Principal | undefined> {
    if (claims.expires_at <= now().getTime()) return undefined
    if (claims.keyless && (await keys.required())) return undefined
    const maker = claims.key === undefined ? undefined : await keys.findById(claims.key)
    return claims.key !== undefined && !maker ? undefined : toPrincipal(claims, maker)
  }
  async function findUnexpired(credential: string): Promise<boolean> {
    const claims = claimsOf(credential)
    return claims !== undefined && (await toHolder(claims).catch(() => claims)) !== undefined
  }

  return {
    async make(wanted) {
      if (!records) throw new AppError('not_found', 'This server keeps no records.')
      const [key] = await signingKeys()
      if (!key) throw new AppError('internal')
      const claims = { ...wanted, id: `tok_${randomBytes(9).toString('hex')}`, issued_at: now().getTime() }
      const token = signToken(claims, key)
      if (token.length > MAX_TOKEN) throw new AppError('bad_request', 'sessions: too many for one token')
      return {
        token,
        token_id: claims.id,
        expires_at: new Date(claims.expires_at).toISOString(),
      }
    },
    async find(token) {
      if (!isBrowserToken(token)) return undefined
      const claims = readToken(token, await signingKeys())
      return claims && (await isUnrevoked(claims)) ? await toHolder(claims) : undefined
    },
    async findHolder(credential) {
      const claims = claimsOf(credential)
      if (!claims || !records || (await findUnrevoked(records, [claims])).length === 0) return undefined
      return await toHolder(claims)
    },
    async findCurrent(credentials) {
      const claims = credentials.flatMap(one => claimsOf(one) ?? [])
      if (claims.length === 0) return new Set()
      const found = records && (await findUnrevoked(records, claims).catch(() => claims))
      for (const { id } of claims) if (!found?.some(one => one.id === id)) checked.take(id)
      const left = (found ?? []).map(credentialOf)
      const current = await Promise.all(left.map(findUnexpired))
      return new Set(left.filter((_, i) => current[i]))
    },
  }
}

const credentialOf = (claims: TokenClaims): string => CREDENTIAL + packClaims(claims)

const claimsOf = (credential: string): TokenClaims | undefined =>
  isTokenCredential(credential) ? unpackClaims(credential.slice(CREDENTIAL.length)) : undefined

/** A key that may do less than when it made the token takes that from the token too. */
function toPrincipal(claims: TokenClaims, maker: Principal | undefined): Principal {
  const { id, key, owner, scopes, sessions, origins, limits, models, workspace } = claims
  const isLeft = (scope: TokenClaims['scopes'][number]): boolean => !maker || holds(maker, scope)
  return {
    owner,
    // One name for all tokens of an owner: what a token began, the next one continues.
    key_id: key === undefined ? `user:${owner}` : `token:${key}:${owner}`,
    scopes: new Set(scopes.filter(isLeft)),
    limits: maker ? lower(limits, maker.limits) : limits,
    models: intersect(models, maker?.models ?? null),
    workspace: maker ? maker.workspace : workspace,
    unbounded: false,
    source: 'token',
    expires_at: new Date(claims.expires_at).toISOString(),
    credential: credentialOf(claims),
    token: {
      id,
      expires_at: claims.expires_at,
      ...(sessions === undefined ? {} : { sessions }),
      ...(origins === undefined ? {} : { origins }),
      ...(maker?.key_id
        ? { maker: { key_id: maker.key_id, limits: maker.limits, budgets: maker.budgets ?? [] } }
        : {}),
    },
  }
}

/** Those of the token that its key still allows. */
function intersect(models: Principal['models'], most: Principal['models']): Principal['models'] {
  if (models === null || most === null) return models ?? most
  return models.filter(id => isAllowedModel(most, id))
}

/** The key that pays for a token of this name; undefined for other names. */
export const makerOf = (key_id: string): string | undefined => /^token:([^:]+):/.exec(key_id)?.[1]

/** The budget of a key is one sum for all of its tokens, and checked as such. */
function lower(limits: Limits, most: Limits): Limits {
  const least = (name: 'requests_per_minute' | 'concurrent'): number | null => {
    const [a, b] = [limits[name], most[name]]
    return a === null || b === null ? (a ?? b) : Math.min(a, b)
  }
  return {
    ...NO_LIMITS,
    requests_per_minute: least('requests_per_minute'),
    concurrent: least('concurrent'),
    budget_usd: limits.budget_usd,
  }
}

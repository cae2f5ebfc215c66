/**
 * Sign-in by JSON web tokens of configured issuers. A token that names one of them is verified, or refused: it is never
 * tried as another kind of credential.
 */
import { AppError, isDeeperThan, isObject } from '@toolwire/core'
import type { FlattenedJWSInput, JWTHeaderParameters, JWTPayload } from 'jose'
import type { Logger } from '../../context.ts'
import type { SignedInCaller } from '../authenticate.ts'
import type { Principal } from '../principal.ts'
import { toUserCredential } from '../user-credential.ts'
import type { AuthSettings, JwtIssuer } from './jwt-settings.ts'
import { codeOf, createKeySet, type KeySet, type ReadDocument } from './key-set.ts'
import { mapClaims } from './map-claims.ts'

export interface JwtSignIn {
  /** True for a text that is a token of one of the issuers, by its own words. */
  isOurs(text: string): boolean
  /** Undefined for a token that is not valid; the log has the reason. Throws `identity_unavailable`. */
  find(text: string): Promise<SignedInCaller | undefined>
}

export interface JwtSignInOptions {
  readonly settings: AuthSettings
  readonly readDocument: ReadDocument
  readonly logger: Logger
  readonly now: () => Date
  /** Monotonic milliseconds; the process's own clock by default. */
  readonly ticks?: () => number
}

const MAX_TOKEN = 8192
const MAX_DEPTH = 8
const TOKEN = /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/
/** The last moment that a date can hold. */
const MAX_TIME = 8.64e15

export function createJwtSignIn(options: JwtSignInOptions): JwtSignIn {
  const { settings, readDocument, logger, ticks = () => performance.now() } = options
  const issuers = new Map(
    settings.jwt.map(issuer => [
      issuer.issuer,
      { issuer, keys: createKeySet({ issuer, readDocument, logger, ticks }) },
    ]),
  )
  return {
    isOurs(text) {
      if (!TOKEN.test(text)) return false
      const claims = peek(text)
      // A token that cannot be read names no other issuer either.
      return claims === undefined || issuers.has(String(claims['iss']))
    },
    async find(text) {
      try {
        const claims = peek(text)
        const found = claims && issuers.get(String(claims['iss']))
        if (!claims || !found) throw refusal('unreadable')
        return await verify(text, { ...found, now: options.now() })
      } catch (error) {
        if (AppError.is(error)) throw error
        logger.info({ reason: reasonOf(error) }, 'a JSON web token was refused')
        return undefined
      }
    },
  }
}

/** The claims before they are verified; undefined for what is too large, too deep or no token. */
function peek(text: string): Readonly<Record<string, unknown>> | undefined {
  if (text.length > MAX_TOKEN) return undefined
  const [header, claims] = text.split('.', 2).map(parse)
  return isObject(header) && isObject(claims) && !isDeeperThan([header, claims], MAX_DEPTH + 1)
    ? claims
    : undefined
}

function parse(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
}

interface VerifyOptions {
  readonly issuer: JwtIssuer
  readonly keys: KeySet
  readonly now: Date
}

async function verify(text: string, options: VerifyOptions): Promise<SignedInCaller> {
  const { issuer, now } = options
  const payload = await verifySignature(text, options)
  const { exp, iat } = payload
  if (exp === undefined || (iat !== undefined && iat > now.getTime() / 1000 + issuer.clockSkewS))
    throw refusal('issued in the future')
  const caller = mapClaims(payload, issuer)
  if (!caller) throw refusal('names no owner')
  const expiresAt = Math.min((exp + issuer.clockSkewS) * 1000, MAX_TIME)
  const { owner, id, limits, workspace } = caller
  const principal: Principal = {
    owner,
    key_id: `user:${id}`,
    scopes: new Set(caller.scopes),
    limits,
    models: caller.models,
    workspace,
    unbounded: false,
    source: 'jwt',
    expires_at: new Date(expiresAt).toISOString(),
  }
  return { principal: { ...principal, credential: toUserCredential(principal, expiresAt) }, expiresAt }
}

/** Tries each key where several have the id of the token. Throws what jose throws. */
async function verifySignature(text: string, { issuer, keys, now }: VerifyOptions): Promise<JWTPayload> {
  const { jwtVerify } = await import('jose')
  const { audience, algorithms, typ, clockSkewS, maxAgeS } = issuer
  const rules = {
    issuer: issuer.issuer,
    audience,
    // EdDSA has two names.
    algorithms: algorithms.flatMap(one => (one === 'EdDSA' ? [one, 'Ed25519'] : [one])),
    requiredClaims: ['exp', 'sub'],
    clockTolerance: clockSkewS,
    currentDate: now,
    ...(typ === undefined ? {} : { typ }),
    ...(maxAgeS === undefined ? {} : { maxTokenAge: maxAgeS }),
  }
  let candidates: readonly CryptoKey[] = []
  const verifyBy = async (i: number): Promise<JWTPayload> =>
    (
      await jwtVerify(
        text,
        async (header: JWTHeaderParameters, token: FlattenedJWSInput) => {
          candidates = await keys(header, token)
          return candidates[i] ?? Promise.reject(refusal('no key'))
        },
        rules,
      )
    ).payload
  for (let i = 0; ; i++) {
    try {
      return await verifyBy(i)
    } catch (error) {
      if (codeOf(error) !== 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED' || i + 1 >= candidates.length) throw error
    }
  }
}

const refusal = (code: string): Error => Object.assign(new Error(code), { code })

/** Without a word of the token. */
function reasonOf(error: unknown): string {
  const claim = error instanceof Error && 'claim' in error ? ` (${String(error.claim)})` : ''
  return (codeOf(error) ?? 'unusable') + claim
}

/**
 * The keys of an issuer: read when a token needs them, shared by all that wait, and kept through an outage. Only public
 * keys are used.
 */
import { AppError, isDeeperThan, isObject } from '@toolwire/core'
import type { FlattenedJWSInput, JWK, JWTHeaderParameters, JWTVerifyGetKey } from 'jose'
import type { Logger } from '../../context.ts'
import type { JwtIssuer } from './jwt-settings.ts'

/**
 * Reads a document of an issuer: at most `maxBytes`, without following redirects, within seconds, and from no private
 * address unless its host is in `privateHosts`. Rejects with the reason.
 */
export type ReadDocument = (url: string, rules: DocumentRules) => Promise<string>

export interface DocumentRules {
  readonly maxBytes: number
  readonly timeoutMs: number
  readonly privateHosts: readonly string[]
}

export interface KeySetOptions {
  readonly issuer: JwtIssuer
  readonly readDocument: ReadDocument
  readonly logger: Logger
  /** Monotonic milliseconds. */
  readonly ticks: () => number
}

/** Finds the key of a token, or several with the same id. Throws `identity_unavailable` while the keys cannot be known. */
export type KeySet = (header: JWTHeaderParameters, token: FlattenedJWSInput) => Promise<readonly CryptoKey[]>

const FRESH_MS = 10 * 60_000
const USABLE_MS = 60 * 60_000
/** Between two reads, whatever tokens name: unknown keys make no requests. */
const COOLDOWN_MS = 30_000
const RULES = { maxBytes: 1024 * 1024, timeoutMs: 5000 }
const MAX_KEYS = 100

interface LoadedKeys {
  readonly find: JWTVerifyGetKey
  readonly at: number
}

export function createKeySet(options: KeySetOptions): KeySet {
  const { issuer, logger, ticks } = options
  let loaded: LoadedKeys | undefined
  let loading: Promise<void> | undefined
  let triedAt = Number.NEGATIVE_INFINITY

  const ageOf = (): number => (loaded ? ticks() - loaded.at : Number.POSITIVE_INFINITY)

  async function load(): Promise<void> {
    triedAt = ticks()
    try {
      const find = await readKeys(options)
      loaded = { find, at: triedAt }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      logger.error({ issuer: issuer.issuer, reason }, 'the keys of an issuer could not be read')
    }
  }
  /** One read for all callers; none during the cooldown. */
  async function reload(): Promise<void> {
    if (!loading && ticks() - triedAt < COOLDOWN_MS) return
    loading ??= load().finally(() => {
      loading = undefined
    })
    await loading
  }
  return async (header, token) => {
    if (ageOf() >= FRESH_MS) await reload()
    if (!loaded || ageOf() >= USABLE_MS) throw new AppError('identity_unavailable')
    const before = loaded
    try {
      return await findAll(before.find, header, token)
    } catch (error) {
      if (codeOf(error) !== 'ERR_JWKS_NO_MATCHING_KEY') throw error
      await reload()
      if (loaded === before) throw error
      return await findAll(loaded.find, header, token)
    }
  }
}

export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

async function findAll(
  find: JWTVerifyGetKey,
  header: JWTHeaderParameters,
  token: FlattenedJWSInput,
): Promise<readonly CryptoKey[]> {
  try {
    return [(await find(header, token)) as CryptoKey]
  } catch (error) {
    if (codeOf(error) !== 'ERR_JWKS_MULTIPLE_MATCHING_KEYS') throw error
    return await Array.fromAsync(error as unknown as AsyncIterable<CryptoKey>)
  }
}

async function readKeys(options: KeySetOptions): Promise<JWTVerifyGetKey> {
  const { issuer, logger } = options
  const url = issuer.jwks ?? (await discover(options))
  const { keys } = await readJson(options, url)
  if (!Array.isArray(keys)) throw new Error('The key set has no list of keys.')
  const usable = keys.slice(0, MAX_KEYS).filter(isPublicKey)
  if (usable.length < keys.length)
    logger.error(
      { issuer: issuer.issuer, ignored: keys.length - usable.length },
      'a key set holds private, symmetric or unreadable keys, or too many: they are not used',
    )
  const { createLocalJWKSet } = await import('jose')
  return createLocalJWKSet({ keys: usable })
}

/** Throws unless the document is the one of this very issuer. */
async function discover(options: KeySetOptions): Promise<string> {
  const { issuer } = options.issuer
  const found = await readJson(options, `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
  if (found['issuer'] !== issuer) throw new Error('The discovery document names another issuer.')
  const address = found['jwks_uri']
  const url = typeof address === 'string' ? URL.parse(address) : null
  if (!url || url.username + url.password !== '') throw new Error('The discovery document names no key set.')
  // Plain http, and this machine, only where the issuer is just that.
  if (url.protocol !== 'https:' && url.origin !== new URL(issuer).origin)
    throw new Error('The key set has an address without https.')
  return url.href
}

async function readJson(
  { issuer, readDocument }: KeySetOptions,
  url: string,
): Promise<Readonly<Record<string, unknown>>> {
  const text = await readDocument(url, {
    ...RULES,
    privateHosts: [...issuer.privateHosts, ...localHosts(issuer)],
  })
  const value: unknown = JSON.parse(text)
  if (!isObject(value) || isDeeperThan(value, 8)) throw new Error('The document is no plain JSON object.')
  return value
}

/** A loopback address in the configuration is meant. */
const localHosts = ({ issuer, jwks }: JwtIssuer): readonly string[] =>
  [issuer, jwks ?? issuer]
    .map(one => new URL(one).hostname.replace(/^\[|\]$/g, ''))
    .filter(host => host === 'localhost' || host === '::1' || /^127\./.test(host))

/** Parts of private keys, and of those that both sides know. */
const SECRET_PARTS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

const isPublicKey = (key: unknown): key is JWK =>
  isObject(key) &&
  typeof key['kty'] === 'string' &&
  ['RSA', 'EC', 'OKP'].includes(key['kty']) &&
  !SECRET_PARTS.some(part => Object.hasOwn(key, part))

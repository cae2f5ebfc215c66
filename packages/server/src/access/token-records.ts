/** Records of browser tokens that all servers of a group share: the keys that sign them, and revocations. */
import { createHash, randomBytes } from 'node:crypto'
import type { Records } from '@toolwire/core'
import { z } from 'zod'
import type { SigningKey, TokenClaims } from './browser-token.ts'

const SIGNING = 'signing_key'
const SIGNING_ID = 'browser_token'
const REVOKED = 'token_revocation'
/** A revocation is forgotten when no token can be left that it concerns. */
const MAX_TOKEN_LIFE_MS = 60 * 60_000

const SigningKeys = z.object({ keys: z.array(z.object({ id: z.string(), secret: z.string() })) })
const Revocation = z.object({ before: z.number(), until: z.number() })

const newSigningKey = (): SigningKey => ({
  id: randomBytes(4).toString('hex'),
  secret: randomBytes(32).toString('base64url'),
})

/** The newest first, which signs; made at the first call. */
export async function loadSigningKeys(records: Pick<Records, 'update'>): Promise<readonly SigningKey[]> {
  const fresh = { keys: [newSigningKey()] }
  return SigningKeys.parse(await records.update(SIGNING, SIGNING_ID, known => known ?? fresh)).keys
}

/** A new key signs; tokens of the one before stay valid, those of older ones do not. */
export async function rotateSigningKey(records: Pick<Records, 'update'>): Promise<SigningKey> {
  const key = newSigningKey()
  await records.update(SIGNING, SIGNING_ID, known => {
    const before = SigningKeys.safeParse(known)
    return { keys: [key, ...(before.success ? before.data.keys.slice(0, 1) : [])] }
  })
  return key
}

export type RevokedTokens = { readonly token_id: string } | { readonly owner: string }

/** Ends one token, or all that an owner has until now. Resolves when it is stored. */
export async function revokeTokens(records: Records, which: RevokedTokens, now: Date): Promise<void> {
  const before = now.getTime()
  const id = 'owner' in which ? ownerId(which.owner) : tokenId(which.token_id)
  await records.put(REVOKED, id, { before, until: before + MAX_TOKEN_LIFE_MS })
  for (const { id: old, value } of await records.list(REVOKED)) {
    const { success, data } = Revocation.safeParse(value)
    if (success && data.until < before) await records.remove(REVOKED, old)
  }
}

/** Those of the claims that were not revoked, by one read. Throws what the records throw. */
export async function findUnrevoked(
  records: Records,
  claims: readonly TokenClaims[],
): Promise<readonly TokenClaims[]> {
  const ids = new Set(claims.flatMap(({ id, owner }) => [tokenId(id), ownerId(owner)]))
  const found = new Map((await records.getMany(REVOKED, [...ids])).map(({ id, value }) => [id, value]))
  const isAfter = (id: string, issued_at: number): boolean => {
    if (!found.has(id)) return true
    const revocation = Revocation.safeParse(found.get(id))
    return revocation.success && issued_at > revocation.data.before
  }
  return claims.filter(
    ({ id, owner, issued_at }) => !found.has(tokenId(id)) && isAfter(ownerId(owner), issued_at),
  )
}

const tokenId = (id: string): string => `token ${id}`
const ownerId = (owner: string): string => `owner ${createHash('sha256').update(owner).digest('hex')}`

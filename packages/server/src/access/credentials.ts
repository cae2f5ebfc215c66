/**
 * Everything that a caller can sign in with here, and can be found by again: API keys, browser tokens, and callers that
 * the application knows. A credential is the id of a key, or the claims of the others; it holds no secret.
 */
import { isBrowserToken } from './browser-token.ts'
import { createKeyBook, type KeyBookOptions } from './key-registry.ts'
import type { Principal } from './principal.ts'
import { createTokenBook, isTokenCredential, type TokenBook } from './token-book.ts'
import { isUserCredential, readUserCredential } from './user-credential.ts'

export interface Credentials {
  readonly makeToken: TokenBook['make']
  /** True if requests need a key or another sign-in. */
  required(): Promise<boolean>
  /** The principal of a key or token; undefined for one that is unknown, forged, revoked or expired. */
  find(text: string): Promise<Principal | undefined>
  /** For work that a caller was allowed earlier. Undefined once the credential has ended. */
  findHolder(credential: string | undefined): Promise<Principal | undefined>
  /** Those of the credentials that may be used now. Never rejects. */
  findCurrent(credentials: readonly string[]): Promise<ReadonlySet<string>>
}

export function createCredentials(options: KeyBookOptions): Credentials {
  const { now } = options
  const keys = createKeyBook(options)
  const tokens = createTokenBook({ ...options, keys })
  return {
    makeToken: tokens.make,
    required: keys.required,
    find: text => (isBrowserToken(text) ? tokens.find(text) : keys.find(text)),
    async findHolder(credential) {
      if (credential === undefined) return await keys.findHolder(credential)
      if (isTokenCredential(credential)) return await tokens.findHolder(credential)
      if (isUserCredential(credential)) return readUserCredential(credential, now())
      return await keys.findHolder(credential)
    },
    async findCurrent(credentials) {
      const ofTokens = credentials.filter(isTokenCredential)
      const ofUsers = credentials.filter(isUserCredential)
      const ofKeys = credentials.filter(one => !isTokenCredential(one) && !isUserCredential(one))
      const current = await Promise.all([
        keys.findCurrent(ofKeys),
        ofTokens.length > 0 ? tokens.findCurrent(ofTokens) : [],
      ])
      const users = ofUsers.filter(one => readUserCredential(one, now()) !== undefined)
      return new Set([...current.flatMap(found => [...found]), ...users])
    },
  }
}

/** An identity provider in this process: its keys, its documents, and the tokens that it signs. */
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'
import type { ReadDocument } from '../../../src/index.ts'

export const ISSUER = 'https://login.example.com/tenant'
export const AUDIENCE = 'agents'

export interface IssuerKey {
  readonly kid: string
  readonly alg: string
  readonly secret: CryptoKey
  readonly jwk: JWK
}

export async function newKey(kid: string, alg = 'ES256'): Promise<IssuerKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  return { kid, alg, secret: privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}

export interface TestIssuer {
  readonly keys: IssuerKey[]
  /** What the key set holds; those of `keys` unless replaced. */
  jwks: () => unknown
  /** Of the discovery document. */
  document: Record<string, unknown>
  /** Thrown by every read while it is set. */
  outage: Error | undefined
  /** Addresses that were read, in order. */
  readonly reads: string[]
  readonly readDocument: ReadDocument
  /** A token that is valid unless `claims` or `header` say otherwise; undefined removes a claim. */
  readonly sign: (claims?: JWTPayload, header?: Readonly<Record<string, unknown>>) => Promise<string>
}

export const seconds = (): number => Math.floor(Date.now() / 1000)

export async function startIssuer(): Promise<TestIssuer> {
  const keys = [await newKey('one')]
  const issuer: TestIssuer = {
    keys,
    jwks: () => ({ keys: keys.map(({ jwk }) => jwk) }),
    document: { issuer: ISSUER, jwks_uri: `${ISSUER}/keys` },
    outage: undefined,
    reads: [],
    async readDocument(url) {
      issuer.reads.push(url)
      if (issuer.outage) throw issuer.outage
      if (url === `${ISSUER}/.well-known/openid-configuration`) return JSON.stringify(issuer.document)
      if (url === `${ISSUER}/keys`) return JSON.stringify(issuer.jwks())
      throw new Error(`nothing is at ${url}`)
    },
    async sign(claims = {}, header = {}) {
      const [key] = keys
      if (!key) throw new Error('an issuer has a key')
      return await signWith(key, claims, header)
    },
  }
  return issuer
}

export async function signWith(
  key: Pick<IssuerKey, 'kid' | 'alg'> & { readonly secret: CryptoKey | Uint8Array },
  claims: JWTPayload = {},
  header: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const usual = { iss: ISSUER, aud: AUDIENCE, sub: 'alice', iat: seconds(), exp: seconds() + 600 }
  return await new SignJWT({ ...usual, ...claims })
    .setProtectedHeader({ alg: key.alg, kid: key.kid, ...header })
    .sign(key.secret)
}

/** A token with these texts as they are. */
export const tokenOf = (header: unknown, claims: unknown, signature = ''): string =>
  [header, claims].map(part => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.') +
  `.${signature}`

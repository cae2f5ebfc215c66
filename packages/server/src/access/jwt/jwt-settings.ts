/** Settings of issuers whose JSON web tokens sign callers in: OpenID providers and other OAuth servers. */
import { z } from 'zod'
import { isLoopback } from '../../settings.ts'
import { SCOPES } from '../principal.ts'

/** Signatures with a public key only: a secret that both sides know is no issuer. */
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const

const text = z.string('must be text').min(1, 'must not be empty').max(2000, 'must be shorter')
const address = text.refine(
  isSafeAddress,
  'must be an address with https, or with http on this machine, and without a user, query and hash',
)
/** The name of a claim, or the names on the way to it: `realm_access.roles`, or a list of names. */
const path = z.union([text, z.array(text).min(1)], 'must be the name of a claim, or a list of names')
const limit = z.number('must be a number').positive('must be above 0').nullable()
const grantable = z.enum(
  SCOPES.filter(scope => scope !== 'tokens'),
  'must be a scope; tokens cannot be given to users',
)

const LimitsSetting = z
  .strictObject({ requests_per_minute: limit, concurrent: limit, budget_usd: limit })
  .partial()

const JwtIssuer = z
  .strictObject({
    issuer: address,
    /** One of them must be in the claim `aud`. */
    audience: z.union([text, z.array(text).min(1)], 'must be text, or a list of texts'),
    /** Address of the keys; found by discovery when absent. */
    jwks: address.optional(),
    algorithms: z
      .array(z.enum(ALGORITHMS))
      .min(1)
      .default([...ALGORITHMS]),
    /** Required type in the header, such as `at+jwt`, which an ID token does not have. */
    typ: text.optional(),
    clockSkewS: z.number().int().min(0).max(300, 'must be at most 300').default(30),
    /** Greatest age by the claim `iat`, which is required then. */
    maxAgeS: z.number().int().min(1).optional(),
    /** Hosts of the own network that keys may be read from. */
    privateHosts: z.array(text).default([]),
    /** Put before every owner; required where there are several issuers. */
    ownerPrefix: z.string().max(100).default(''),
    claims: z
      .strictObject({
        owner: path.default('sub'),
        /** Scopes by the values of a claim. Without it callers read and write. */
        scopes: z
          .array(z.strictObject({ from: path, map: z.record(text, z.array(grantable)) }))
          .min(1)
          .optional(),
        limits: path.optional(),
        models: path.optional(),
        workspace: path.optional(),
      })
      .default({ owner: 'sub' }),
    /** Of callers whose token has no usable claim. */
    limits: LimitsSetting.optional(),
    models: z.array(text).max(100).optional(),
  })
  .refine(one => one.claims.limits === undefined || one.limits !== undefined, {
    message: 'must be given with claims.limits, for tokens without that claim',
    path: ['limits'],
  })
  .refine(one => one.claims.models === undefined || one.models !== undefined, {
    message: 'must be given with claims.models, for tokens without that claim',
    path: ['models'],
  })
export type JwtIssuer = z.output<typeof JwtIssuer>

export const AuthSettings = z.strictObject({
  jwt: z
    .array(JwtIssuer)
    .max(20, 'must be at most 20 issuers')
    .refine(
      all => new Set(all.map(({ issuer }) => issuer)).size === all.length,
      'must not name an issuer twice',
    )
    .refine(
      haveSeparateOwners,
      'must give every issuer another ownerPrefix, none of which begins another: their users would share sessions',
    ),
})
/** As a program writes it. */
export type AuthOptions = z.input<typeof AuthSettings>
export type AuthSettings = z.output<typeof AuthSettings>

function isSafeAddress(value: string): boolean {
  const url = URL.parse(value)
  if (url?.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
}

function haveSeparateOwners(all: readonly { readonly ownerPrefix: string }[]): boolean {
  return all.every(({ ownerPrefix: one }, i) =>
    all.every(({ ownerPrefix: other }, j) => i === j || !other.startsWith(one)),
  )
}

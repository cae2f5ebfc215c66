/** From the claims of a token to what its caller may do. A claim that is missing or unusable gives less, never more. */
import { isObject } from '@toolwire/core'
import { z } from 'zod'
import { OwnerName } from '../owner-name.ts'
import { DEFAULT_OWNER, type Limits, NO_LIMITS, type Scope } from '../principal.ts'
import type { JwtIssuer } from './jwt-settings.ts'

export interface MappedCaller {
  readonly owner: string
  /** Of the person or program within its issuers. */
  readonly id: string
  readonly scopes: readonly Scope[]
  readonly limits: Limits
  /** Null: all of the server. */
  readonly models: readonly string[] | null
  readonly workspace: string | null
}

type ClaimPath = string | readonly string[]

/** Without a mapping; more is given only by name. */
const USUAL_SCOPES: readonly Scope[] = ['read', 'write']
/** Null would be no limit: only the settings of the issuer can say that. */
const LimitClaims = z.strictObject({
  requests_per_minute: z.number().positive().optional(),
  concurrent: z.number().positive().optional(),
  budget_usd: z.number().positive().optional(),
})
const MAX_VALUES = 1000
const MAX_TEXT = 1000

/** Undefined for claims that name no owner. */
export function mapClaims(
  claims: Readonly<Record<string, unknown>>,
  issuer: JwtIssuer,
): MappedCaller | undefined {
  const owner = nameIn(claims, issuer.claims.owner, issuer)
  const id = nameIn(claims, ['sub'], issuer)
  // An issuer must not be able to name the operator.
  if (owner === undefined || id === undefined || owner === DEFAULT_OWNER) return undefined
  return {
    owner,
    id,
    scopes: scopesIn(claims, issuer),
    limits: limitsIn(claims, issuer),
    models: modelsIn(claims, issuer),
    workspace: textIn(claims, issuer.claims.workspace) ?? null,
  }
}

function nameIn(
  claims: Readonly<Record<string, unknown>>,
  path: ClaimPath,
  { ownerPrefix }: JwtIssuer,
): string | undefined {
  const name = valueAt(claims, path)
  return typeof name === 'string' && name !== '' ? OwnerName.safeParse(ownerPrefix + name).data : undefined
}

function scopesIn(claims: Readonly<Record<string, unknown>>, { claims: paths }: JwtIssuer): readonly Scope[] {
  if (!paths.scopes) return USUAL_SCOPES
  const granted = paths.scopes.flatMap(({ from, map }) =>
    (listAt(claims, from) ?? []).flatMap(value => (Object.hasOwn(map, value) ? (map[value] ?? []) : [])),
  )
  return [...new Set(granted)]
}

function limitsIn(
  claims: Readonly<Record<string, unknown>>,
  { claims: { limits: path }, limits }: JwtIssuer,
): Limits {
  const found = path === undefined ? undefined : LimitClaims.safeParse(valueAt(claims, path))
  const named = Object.entries(found?.data ?? {}).filter(([, value]) => value !== undefined)
  return { ...NO_LIMITS, ...limits, ...Object.fromEntries(named) }
}

function modelsIn(
  claims: Readonly<Record<string, unknown>>,
  { claims: { models: path }, models }: JwtIssuer,
): readonly string[] | null {
  const found = path === undefined ? undefined : listAt(claims, path)
  return found ?? models ?? null
}

/** Texts of a list, or the words of one text as in the claim `scope`. */
function listAt(claims: Readonly<Record<string, unknown>>, path: ClaimPath): readonly string[] | undefined {
  const value = valueAt(claims, path)
  if (typeof value === 'string') return value.split(' ').filter(word => word !== '')
  if (!Array.isArray(value)) return undefined
  return value.slice(0, MAX_VALUES).filter(one => typeof one === 'string')
}

function textIn(claims: Readonly<Record<string, unknown>>, path: ClaimPath | undefined): string | undefined {
  const value = path === undefined ? undefined : valueAt(claims, path)
  return typeof value === 'string' && value !== '' && value.length <= MAX_TEXT ? value : undefined
}

/** A text is the name of a claim before it is a way: some names are addresses, which hold dots. */
function valueAt(claims: Readonly<Record<string, unknown>>, path: ClaimPath): unknown {
  if (typeof path !== 'string') return follow(claims, path)
  return Object.hasOwn(claims, path) ? claims[path] : follow(claims, path.split('.'))
}

/** Reads own properties of objects, and never inherited ones. */
function follow(claims: unknown, names: readonly string[]): unknown {
  return names.reduce<unknown>(
    (value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    claims,
  )
}

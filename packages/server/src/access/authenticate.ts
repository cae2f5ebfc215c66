/** Sign-in by the application that embeds this server: its function says who calls, and what they may do. */
import { AppError, isObject } from '@toolwire/core'
import type { Logger } from '../context.ts'
import type { SignInRequest } from '../http/exchange.ts'
import { ModelNames } from './model-names.ts'
import { OWNER_RULE, OwnerName } from './owner-name.ts'
import { type Limits, NO_LIMITS, type Principal, SCOPES, type Scope } from './principal.ts'
import { toUserCredential } from './user-credential.ts'

/** A person or program that has signed in. */
export interface SignedIn {
  /** Sessions belong to an owner: callers with the same owner share them. */
  readonly owner: string
  /** `read`, `write` and `approve` when absent. */
  readonly scopes?: readonly Scope[] | undefined
  readonly limits?: Partial<Limits> | undefined
  /** Models that the caller may use; all when absent. */
  readonly models?: readonly string[] | undefined
  /** The only folder in which sessions of this caller may work. */
  readonly workspace?: string | undefined
  /** Name of the caller in the audit trail and for limits; the owner when absent. */
  readonly id?: string | undefined
  /** Open responses end then. */
  readonly expires_at?: Date | string | number | undefined
}

/** Null, undefined or false for a caller that is not signed in. Asked at every request; nothing is cached. */
export type Authenticate = (
  request: SignInRequest,
) => SignedIn | null | undefined | false | Promise<SignedIn | null | undefined | false>

export interface SignedInCaller {
  readonly principal: Principal
  /** Milliseconds since 1970; never when absent. */
  readonly expiresAt: number | undefined
}

/** Returns the caller, or undefined for one that is not signed in. Throws what the request is answered with. */
export type SignIn = (request: SignInRequest) => Promise<SignedInCaller | undefined>

const TIMEOUT_MS = 10_000
const USUAL_SCOPES: readonly Scope[] = ['read', 'write', 'approve']
const FIELDS = ['owner', 'scopes', 'limits', 'models', 'workspace', 'id', 'expires_at']
const MAX_ID = 200

export function createSignIn(authenticate: Authenticate, logger: Logger, timeoutMs = TIMEOUT_MS): SignIn {
  return async request => {
    const answer = await ask(authenticate, request, { logger, timeoutMs })
    if (answer === null || answer === undefined || answer === false) return undefined
    const problem = problemOf(answer)
    if (problem === undefined) return toCaller(answer as SignedIn)
    logger.error({ problem }, 'authenticate returned something that is no caller')
    return undefined
  }
}

interface AskOptions {
  readonly logger: Logger
  readonly timeoutMs: number
}

async function ask(
  authenticate: Authenticate,
  request: SignInRequest,
  options: AskOptions,
): Promise<unknown> {
  const { logger, timeoutMs } = options
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new AppError('identity_unavailable')), timeoutMs)
  })
  try {
    return await Promise.race([(async () => await authenticate(request))(), late])
  } catch (error) {
    if (AppError.is(error) && ['forbidden', 'unauthorized', 'identity_unavailable'].includes(error.code))
      throw error
    logger.error({ error: error instanceof Error ? error.stack : String(error) }, 'authenticate failed')
    throw new AppError('internal')
  } finally {
    clearTimeout(timer)
  }
}

/** One sentence with the path of the first value that cannot be used. Values may be secrets and are not shown. */
function problemOf(answer: unknown): string | undefined {
  if (!isObject(answer)) return 'It must be an object with an owner, or null.'
  const unknown = Object.keys(answer).find(key => !FIELDS.includes(key))
  if (unknown !== undefined) return `"${unknown}" is not known; known are ${FIELDS.join(', ')}.`
  const { owner, scopes, limits, models, workspace, id, expires_at } = answer
  if (!OwnerName.safeParse(owner).success) return `owner must be ${OWNER_RULE}.`
  const listed = listProblem(scopes, models)
  if (listed !== undefined) return listed
  if (workspace !== undefined && (typeof workspace !== 'string' || workspace === ''))
    return 'workspace must be the path of a folder.'
  if (id !== undefined && (typeof id !== 'string' || id === '' || id.length > MAX_ID))
    return `id must be a text of at most ${MAX_ID} characters.`
  if (expires_at !== undefined && Number.isNaN(timeOf(expires_at))) return 'expires_at must be a time.'
  return limits === undefined ? undefined : limitProblem(limits)
}

function listProblem(scopes: unknown, models: unknown): string | undefined {
  if (scopes !== undefined && !isScopes(scopes)) return `scopes must be a list of ${SCOPES.join(', ')}.`
  if (models === undefined || ModelNames.safeParse(models).success) return undefined
  return 'models must be a list of at most 100 ids of models.'
}

function limitProblem(limits: unknown): string | undefined {
  if (!isObject(limits)) return 'limits must be an object.'
  const bad = Object.entries(limits).find(
    ([name, value]) =>
      !Object.hasOwn(NO_LIMITS, name) || !(value === null || (Number.isFinite(value) && Number(value) > 0)),
  )
  return (
    bad &&
    `limits.${bad[0]} must be one of ${Object.keys(NO_LIMITS).join(', ')} with a number above 0 or null.`
  )
}

const isScopes = (value: unknown): value is readonly Scope[] =>
  Array.isArray(value) && value.every(one => SCOPES.includes(one))

const timeOf = (value: unknown): number =>
  value instanceof Date || typeof value === 'string' || typeof value === 'number'
    ? new Date(value).getTime()
    : Number.NaN

function toCaller({ owner, scopes, limits, models, workspace, id, expires_at }: SignedIn): SignedInCaller {
  const expiresAt = expires_at === undefined ? undefined : timeOf(expires_at)
  const plain = toUser(owner, scopes, id)
  const principal = {
    ...plain,
    limits: { ...NO_LIMITS, ...limits },
    models: models ?? null,
    workspace: workspace ?? null,
  }
  return { principal: { ...principal, credential: toUserCredential(principal, expiresAt) }, expiresAt }
}

/** A caller that the application knows; it has no key of ours. */
export function toUser(owner: string, scopes: readonly Scope[] = USUAL_SCOPES, id = owner): Principal {
  const principal = {
    owner: OwnerName.parse(owner),
    key_id: `user:${id}`,
    scopes: new Set(scopes),
    limits: NO_LIMITS,
    models: null,
    workspace: null,
    unbounded: false,
    source: 'application' as const,
  }
  return { ...principal, credential: toUserCredential(principal, undefined) }
}

/** The holder of a key gives to other keys no more than it has. Each rule throws `forbidden`. */
import { AppError, isAllowedModel } from '@toolwire/core'
import type { NewKey } from './api-key.ts'
import { Budget } from './budget-period.ts'
import { holds, type Principal } from './principal.ts'

type Grant = Partial<NewKey>

/** A server without keys has a caller who may do everything. */
export function mustBeGivable(principal: Principal, grant: Grant): void {
  if (principal.unbounded) return
  checkOwner(principal, grant)
  checkScopes(principal, grant)
  checkLimits(principal, grant)
  checkBudgets(principal, grant)
  checkModels(principal, grant)
  checkWorkspace(principal, grant)
  checkExpiry(principal, grant)
}

function checkOwner({ owner }: Principal, grant: Grant): void {
  if (grant.owner !== undefined && grant.owner !== owner)
    throw new AppError('forbidden', `This key makes keys of the owner ${JSON.stringify(owner)} alone.`)
}

function checkScopes(principal: Principal, grant: Grant): void {
  const refused = grant.scopes?.filter(scope => !holds(principal, scope)) ?? []
  if (refused.length > 0)
    throw new AppError('forbidden', `This key cannot give the scopes: ${refused.join(', ')}.`)
}

const LIMITS = ['requests_per_minute', 'concurrent', 'budget_usd'] as const

/** Each key is limited separately: many keys of a limited one would together have no limit. */
function checkLimits({ limits }: Principal, grant: Grant): void {
  for (const name of LIMITS) {
    if (limits[name] === null || grant[name] === undefined) continue
    throw new AppError('forbidden', `${name}: this key is limited, and cannot give a limit.`)
  }
}

/** Sums are of one key: another key would begin new ones, so it gets each budget of its maker, or a lower one. */
function checkBudgets({ budgets = [] }: Principal, { budgets: wanted }: Grant): void {
  if (wanted === undefined) return
  const isKept = (most: Budget): boolean => wanted.some(one => isWithin(Budget.parse(one), most))
  if (!budgets.every(isKept))
    throw new AppError('forbidden', 'budgets: this key gives all budgets that it has, or lower ones.')
}

function isWithin(one: Budget, most: Budget): boolean {
  const isSame = one.period === most.period && one.timezone === most.timezone
  const isLower = (name: 'usd' | 'tokens' | 'runs'): boolean =>
    most[name] === undefined || (one[name] ?? Number.POSITIVE_INFINITY) <= most[name]
  const hasModels = one.models === undefined || JSON.stringify(one.models) === JSON.stringify(most.models)
  return isSame && hasModels && isLower('usd') && isLower('tokens') && isLower('runs')
}

/** Null is every model. */
function checkModels({ models: most }: Principal, { models: wanted }: Grant): void {
  if (most === null || wanted === undefined) return
  if (wanted?.every(id => isAllowedModel(most, id))) return
  throw new AppError('forbidden', `models: this key has ${most.join(', ')}, and cannot give others.`)
}

function checkWorkspace({ workspace }: Principal, grant: Grant): void {
  if (workspace === null || grant.workspace === undefined || grant.workspace === workspace) return
  throw new AppError('forbidden', 'workspace: this key cannot give another folder than its own.')
}

/** A sign-in of a person ends within hours, and the person signs in again: its end bounds no key. */
function checkExpiry({ expires_at: most, source }: Principal, grant: Grant): void {
  const wanted = grant.expires_at
  if (source !== 'key' || most === undefined || wanted === undefined) return
  if (wanted === null || Date.parse(wanted) > Date.parse(most))
    throw new AppError('forbidden', `expires_at: this key expires at ${most}, and cannot give a longer life.`)
}

/** Spending of a key within the periods of its budgets: one sum per budget and period, for all servers together. */
import { createHash } from 'node:crypto'
import { AppError, isAllowedModel, type Records } from '@toolwire/core'
import { z } from 'zod'
import { type Budget, periodAt } from './budget-period.ts'
import type { TurnUsage } from './turn-usage.ts'

const KIND = 'period_spending'

const PeriodSum = z.object({ usd: z.number(), tokens: z.number(), runs: z.number() })
type PeriodSum = z.infer<typeof PeriodSum>

const NOTHING: PeriodSum = { usd: 0, tokens: 0, runs: 0 }

/** The subject is the id of a key: it stays when the secret is rotated. */
export interface BudgetHolder {
  readonly subject: string
  readonly budgets: readonly Budget[]
}

const toSum = (value: unknown): PeriodSum => PeriodSum.safeParse(value).data ?? NOTHING

/** A change of amounts keeps the sum; another period, time zone or list of models begins one. */
function sumId(subject: string, budget: Budget, now: Date): string {
  const { period, timezone, models } = budget
  const kind = createHash('sha256')
    .update(JSON.stringify([period, timezone, models?.toSorted() ?? null]))
    .digest('hex')
  return `${subject} ${kind.slice(0, 16)} ${periodAt(budget, now)}`
}

/** Adds a turn to every budget that is for its model; one of an unknown model is added to all. */
export async function chargeBudgets(
  records: Pick<Records, 'update'>,
  { subject, budgets }: BudgetHolder,
  turn: TurnUsage & { readonly model?: string | undefined },
  now: Date,
): Promise<void> {
  for (const budget of budgets) {
    if (turn.model !== undefined && !isAllowedModel(budget.models, turn.model)) continue
    await records.update(KIND, sumId(subject, budget, now), value => {
      const { usd, tokens, runs } = toSum(value)
      return {
        usd: usd + (turn.usd ?? 0),
        tokens: tokens + turn.input_tokens + turn.output_tokens,
        runs,
      }
    })
  }
}

/**
 * Adds runs to every budget with runs; a negative number takes some back. Throws `quota_exceeded` when one has not so
 * many left; those before it have them then, so that less may begin and never more.
 */
export async function countRuns(
  records: Pick<Records, 'update'>,
  { subject, budgets }: BudgetHolder,
  count: number,
  now: Date,
): Promise<void> {
  for (const budget of budgets) {
    const { runs: most } = budget
    if (most === undefined) continue
    await records.update(KIND, sumId(subject, budget, now), value => {
      const sum = toSum(value)
      if (sum.runs + count > most) throw exceeded(budget, `${most} runs`)
      return { ...sum, runs: Math.max(0, sum.runs + count) }
    })
  }
}

export interface BudgetState extends Budget {
  readonly used: PeriodSum
  /** The current period, such as `2026-11`. */
  readonly current: string
  /** Four fifths of it are used. */
  readonly warning: boolean
}

/** The budgets with what is used of them in the current period; in one read. */
export async function readBudgets(
  records: Pick<Records, 'getMany'>,
  { subject, budgets }: BudgetHolder,
  now: Date,
): Promise<readonly BudgetState[]> {
  if (budgets.length === 0) return []
  const ids = budgets.map(budget => sumId(subject, budget, now))
  const found = new Map((await records.getMany(KIND, ids)).map(({ id, value }) => [id, value]))
  return budgets.map((budget, i) => {
    const used = toSum(found.get(ids[i] ?? ''))
    return { ...budget, used, current: periodAt(budget, now), warning: shareUsed(budget, used) >= 0.8 }
  })
}

/** `model` is the one that is about to be asked; without it budgets for some models are left out. */
export function findExhausted(all: readonly BudgetState[], model: string | undefined): AppError | undefined {
  const found = all.find(
    ({ models, used, usd, tokens }) =>
      (models === undefined || (model !== undefined && isAllowedModel(models, model))) &&
      (used.usd >= (usd ?? Number.POSITIVE_INFINITY) || used.tokens >= (tokens ?? Number.POSITIVE_INFINITY)),
  )
  if (!found) return undefined
  const isMoney = found.usd !== undefined && found.used.usd >= found.usd
  return exceeded(found, isMoney ? `$${found.usd}` : `${found.tokens} tokens`)
}

function shareUsed({ usd, tokens, runs }: Budget, used: PeriodSum): number {
  const shares = [
    used.usd / (usd ?? Infinity),
    used.tokens / (tokens ?? Infinity),
    used.runs / (runs ?? Infinity),
  ]
  return Math.max(...shares)
}

function exceeded({ period }: Budget, amount: string): AppError {
  const when = period === 'total' ? '' : ` of this ${period}`
  return new AppError('quota_exceeded', `This API key has used up its budget${when}: ${amount}.`)
}

/**
 * Spending of each key, checked against its budget. Stored with the keys, so it survives restarts and is one sum
 * for all nodes.
 */
import { AppError, type Records } from '@toolwire/core'
import { z } from 'zod'
import { countRuns, findExhausted, readBudgets } from './budgets.ts'
import type { Principal } from './principal.ts'
import type { TurnUsage } from './turn-usage.ts'

const KIND = 'spending'

export const Spent = z.object({
  usd: z.number(),
  input_tokens: z.number(),
  output_tokens: z.number(),
  /** Turns of unknown price; they are in no sum. */
  unpriced_turns: z.number(),
})
export type Spent = z.infer<typeof Spent>

const NOTHING: Spent = { usd: 0, input_tokens: 0, output_tokens: 0, unpriced_turns: 0 }

const toSpent = (value: unknown): Spent => {
  const parsed = Spent.safeParse(value)
  return parsed.success ? parsed.data : NOTHING
}

export const readSpending = async (records: Records, key: string): Promise<Spent> =>
  toSpent(await records.get(KIND, key))

/** Adds one turn of the model. Resolves when it is stored. */
export async function addSpending(records: Records, key: string, turn: TurnUsage): Promise<void> {
  await records.update(KIND, key, value => {
    const spent = toSpent(value)
    return {
      usd: spent.usd + (turn.usd ?? 0),
      input_tokens: spent.input_tokens + turn.input_tokens,
      output_tokens: spent.output_tokens + turn.output_tokens,
      unpriced_turns: spent.unpriced_turns + (turn.usd === null ? 1 : 0),
    }
  })
}

/** Charges a turn that no log holds to the key of the caller, and to the key behind a token. */
export async function charge(records: Records, { key_id, token }: Principal, turn: TurnUsage): Promise<void> {
  for (const key of [key_id, token?.maker?.key_id ?? null])
    if (key !== null) await addSpending(records, key, turn)
}

/** Throws `quota_exceeded` if the budget of the key, or of the key behind a token, is used up. A running run continues. */
export async function checkBudget(
  records: Records | undefined,
  principal: Principal,
  now: Date,
): Promise<void> {
  if (!records) return
  const { maker } = principal.token ?? {}
  for (const { key_id, limits, budgets = [] } of maker ? [principal, maker] : [principal]) {
    const { budget_usd } = limits
    if (key_id === null) continue
    const exhausted = findExhausted(await readBudgets(records, { subject: key_id, budgets }, now), undefined)
    if (exhausted) throw exhausted
    if (budget_usd === null) continue
    const { usd } = await readSpending(records, key_id)
    if (usd >= budget_usd)
      throw new AppError('quota_exceeded', `This API key has used up its budget of $${budget_usd}.`)
  }
}

/** Throws `quota_exceeded` when a budget of the key, or of the key behind a token, has not so many runs left. */
export async function countNewRuns(
  records: Records | undefined,
  { key_id, budgets = [], token }: Principal,
  { runs, now }: { readonly runs: number; readonly now: Date },
): Promise<void> {
  const payer = token?.maker ?? (key_id === null ? undefined : { key_id, budgets })
  if (records && payer) await countRuns(records, { subject: payer.key_id, budgets: payer.budgets }, runs, now)
}

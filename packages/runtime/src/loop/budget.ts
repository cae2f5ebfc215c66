/**
 * The remaining budget of a run: turns, money, tokens. Pure. The session's run includes its subagents' usage: they
 * share it.
 */
import {
  type AgentState,
  ERRORS,
  type ErrorCode,
  type Failure,
  isAllowedModel,
  isThought,
  type Model,
  type RunState,
  type Warning,
} from '@toolwire/core'

/** The reason that no further model request may be made; undefined if one may. `root` is the session's run. */
export function exhaustion(state: AgentState, root: RunState | undefined): Failure | undefined {
  const { run } = state
  if (run?.max_turns !== undefined && countedTurns(state, run) >= run.max_turns)
    return refusal('max_turns', `The run used up its ${run.max_turns} turns.`)
  if (run !== root && run?.max_cost_usd !== undefined && run.spent_usd >= run.max_cost_usd)
    return refusal('budget_exceeded', `The agent used up its budget of $${run.max_cost_usd}.`)
  if (root?.max_cost_usd !== undefined && root.spent_usd >= root.max_cost_usd)
    return refusal('budget_exceeded', `The run used up its budget of $${root.max_cost_usd}.`)
  if (root?.max_total_tokens !== undefined && tokensOf(root) >= root.max_total_tokens)
    return refusal('budget_exceeded', `The run used up its budget of ${root.max_total_tokens} tokens.`)
  return undefined
}

/** Turns that only thought do not count, up to as many as the run may take: thinking for ever is no work either. */
function countedTurns({ messages }: AgentState, run: RunState): number {
  const { max_turns = 0 } = run
  const num_turns = run.num_turns - (run.turns_before ?? 0)
  if (num_turns < max_turns) return num_turns
  const said = messages.filter(message => message.role === 'assistant').slice(-num_turns)
  const thoughts = said.filter(({ content }) => {
    const calls = content.filter(part => part.type === 'tool_use')
    return calls.length > 0 && calls.every(isThought)
  })
  return num_turns - Math.min(thoughts.length, max_turns)
}

/** Refuses a model without a price in a run with a budget in money, where the operator wants that. */
export function unpricedRefusal(
  { isPriced, id }: Pick<Model, 'isPriced' | 'id'>,
  root: RunState | undefined,
  rule: UnpricedRule | undefined,
): Failure | undefined {
  if (rule !== 'refuse' || isPriced !== false || root?.max_cost_usd === undefined) return undefined
  const message = `The price of ${id} is unknown, and the budget of $${root.max_cost_usd} covers priced models alone.`
  return refusal('budget_exceeded', message)
}

/** Refuses a model that the caller of the run may not use. */
export function modelRefusal(id: string, run: RunState | undefined): Failure | undefined {
  if (isAllowedModel(run?.allowed_models, id)) return undefined
  return refusal('forbidden', `The key of this run does not allow the model ${id}.`)
}

/** The reason that the payer of a run (a key) may not ask the model now; asked before every request. */
export type RunRefusal = (key: string | undefined, model: string) => Promise<string | undefined>

export async function payerRefusal(
  id: string,
  run: RunState | undefined,
  refuse: RunRefusal | undefined,
): Promise<Failure | undefined> {
  const message = await refuse?.(run?.via?.key, id)
  return message === undefined ? undefined : refusal('budget_exceeded', message)
}

/** Decides if runs with a budget in money may ask models whose price is unknown. */
export type UnpricedRule = 'allow' | 'refuse'

/** A budget in money cannot hold what has no known price; that is said, not hidden. */
export function budgetWarnings(root: RunState | undefined): readonly Warning[] {
  const unknown = root?.usage.find(row => row.cost_usd === undefined)
  if (root?.max_cost_usd === undefined || !unknown) return []
  return [
    {
      code: 'cost_unknown',
      message: `The price of ${unknown.model} is unknown; the budget of $${root.max_cost_usd} counts known costs alone.`,
    },
  ]
}

const tokensOf = ({ usage }: RunState): number =>
  usage
    .map(row => row.usage.input + row.usage.output + row.usage.cache_read + row.usage.cache_write)
    .reduce((a, b) => a + b, 0)

/** A failure from the table of errors. */
export const refusal = (code: ErrorCode, message: string): Failure => ({
  code,
  message,
  retryable: ERRORS[code].retryable,
})

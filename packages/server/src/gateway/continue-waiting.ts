/** Results for a session that waits for its client's tools. */
import { AppError, type SessionRow, type ToolResultPart } from '@toolwire/core'
import type { Tail } from '@toolwire/wire'
import { appendAnswers } from '../append-answers.ts'
import type { SessionSummary } from '../session-summary.ts'
import type { GatewayContext, StartedAnswer } from './answer-plan.ts'
import { endedBadly } from './log-ahead.ts'

export type Results = Omit<Extract<Tail, { type: 'results' }>, 'type'> & {
  readonly by_name: boolean
  readonly protocol: string
}

/**
 * Records the results and wakes the runtime. Undefined, and nothing recorded, when the session does
 * not wait for exactly these, or took others before. The same results again get the same answer.
 */
export async function continueWaiting(
  context: GatewayContext,
  row: SessionRow,
  given: Results,
): Promise<Pick<StartedAnswer, 'session' | 'follow' | 'from'> | undefined> {
  const summary = await context.summaries.get(row.id)
  const outputs = toOutputs(summary, given)
  if (!outputs) return undefined
  try {
    const { protocol, content: joined } = given
    const answers = { outputs, approvals: [], by: 'client', protocol, joined }
    const recorded = await appendAnswers(context, row.id, answers)
    const seqs = recorded.map(answer => answer.seq)
    const isRepeated = recorded.every(answer => !answer.first)
    const follow = { kind: 'answer', seq: Math.max(...seqs) } as const
    const started = { session: row.id, follow, from: Math.min(...seqs) - 1 }
    // When the run that took these answers up gave none itself, asking again is worth it.
    return isRepeated && (await endedBadly(context, started)) ? undefined : started
  } catch (error) {
    if (AppError.is(error) && REFUSED.has(error.code)) return undefined
    throw error
  }
}

const REFUSED: ReadonlySet<string> = new Set([
  'unknown_call',
  'not_a_client_tool',
  'already_answered',
  'expired',
])

function toOutputs(summary: SessionSummary, given: Results) {
  const pending = summary.pending()
  if (pending.some(item => item.kind !== 'client_tool')) return undefined
  const results = given.by_name ? byName(pending, given.results) : given.results
  if (results.length === 0) return undefined
  const answered = new Set(results.map(result => result.call_id))
  const isComplete = given.by_name || pending.every(item => answered.has(item.call_id))
  if (!isComplete || (!given.by_name && given.missing.length > 0)) return undefined
  return results.map(({ call_id, output_text, content, is_error }) => ({
    call_id,
    output_text,
    content,
    is_error,
  }))
}

/** Calls of the old dialect have no ids: the result goes to the first waiting call of its name. */
function byName(
  pending: readonly { readonly call_id: string; readonly name: string }[],
  results: readonly ToolResultPart[],
): readonly ToolResultPart[] {
  return results.flatMap(result => {
    const call = pending.find(item => item.name === result.name)
    return call ? [{ ...result, call_id: call.call_id }] : []
  })
}

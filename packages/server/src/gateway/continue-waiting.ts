/** Results for a session that waits for its client's tools. */
import { AppError, endsRun, type SessionRow, type ToolResultPart } from '@toolwire/core'
import type { Tail } from '@toolwire/wire'
import { appendAnswers } from '../append-answers.ts'
import type { SessionSummary } from '../session-summary.ts'
import type { GatewayContext, StartedAnswer } from './answer-plan.ts'

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
    const { protocol } = given
    const recorded = await appendAnswers(context, row.id, { outputs, approvals: [], by: 'client', protocol })
    const seqs = recorded.map(answer => answer.seq)
    const isRepeated = recorded.every(answer => !answer.first)
    if (isRepeated && (await endedBadly(context, row.id, Math.max(...seqs)))) return undefined
    const follow = { kind: 'answer', seq: Math.max(...seqs) } as const
    return { session: row.id, follow, from: Math.min(...seqs) - 1 }
  } catch (error) {
    if (AppError.is(error) && REFUSED.has(error.code)) return undefined
    throw error
  }
}

/** Whether the run that took these answers up gave none itself: then asking again is worth it. */
async function endedBadly(context: GatewayContext, session: string, seq: number): Promise<boolean> {
  for (let position = seq; ; ) {
    const records = await context.reader.read(session, position, PAGE)
    const end = records.find(({ ev }) => endsRun(ev.type) && ev.agent_run_id === undefined)
    if (end) return end.ev.type === 'run.failed' || end.ev.type === 'run.cancelled'
    if (records.length < PAGE) return false
    position = records.at(-1)?.seq ?? position
  }
}

const PAGE = 1000
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
  // Media has no place in an output; the request itself holds it.
  if (results.length === 0 || results.some(result => result.content.length > 0)) return undefined
  const answered = new Set(results.map(result => result.call_id))
  const isComplete = given.by_name || pending.every(item => answered.has(item.call_id))
  if (!isComplete || (!given.by_name && given.missing.length > 0)) return undefined
  return results.map(({ call_id, output_text, is_error }) => ({ call_id, output_text, is_error }))
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

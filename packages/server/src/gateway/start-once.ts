/** One answer for a request and its repetitions; also when its server dies between the two. */
import type { GatewayContext, PlannedAnswer, SavePlan, StartedAnswer } from './gateway-context.ts'
import { beforeRun, brokenOff, canRetry } from './log-ahead.ts'
import type { KeyedRequest } from './receipts.ts'

/**
 * Throws `conflict` when the key was used for another request. An answer that was cancelled, or failed in a way that a
 * retry can heal, may be asked for again; one that a restart interrupted is sent without its aborted part.
 */
export async function startOnce(
  context: GatewayContext,
  keyed: KeyedRequest | undefined,
  start: (keep?: SavePlan) => Promise<StartedAnswer>,
): Promise<StartedAnswer> {
  if (keyed === undefined) return await start()
  const isGood = async (answer: StartedAnswer): Promise<boolean> =>
    (await context.index.row(answer.session)) !== undefined && !(await canRetry(context, answer))
  const find = (planned: PlannedAnswer) => findPlanned(context, planned)
  const answer = await context.receipts.once(keyed, {
    start,
    find,
    isGood,
    mayRepeat: planned => planned === 'repeatable',
  })
  return { ...answer, lost: await brokenOff(context, answer) }
}

/** The response that another process started without recording it; undefined if it did not start. */
async function findPlanned(
  context: GatewayContext,
  known: PlannedAnswer,
): Promise<StartedAnswer | undefined> {
  if (known === 'repeatable') return undefined
  const { run_id, ...planned } = known
  if (!(await context.index.row(planned.session))) return undefined
  const from = await beforeRun(context, planned.session, run_id)
  return from === undefined ? undefined : { ...planned, from, follow: { kind: 'run', run_id } }
}

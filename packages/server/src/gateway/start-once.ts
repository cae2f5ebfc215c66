/** One answer per Idempotency-Key, for requests that carry one; also when its server dies between the two. */
import type { Exchange } from '../http/exchange.ts'
import { readIdempotencyKey } from '../idempotency-key.ts'
import type { Caller } from './caller.ts'
import { fingerprint } from './chain.ts'
import type { GatewayContext, PlannedAnswer, SavePlan, StartedAnswer } from './gateway-context.ts'
import { beforeRun, brokenOff, endedBadly } from './log-ahead.ts'

/**
 * Throws `conflict` if the key was used for another request. A failed or cancelled response may be requested
 * again; one that a restart interrupted and that continued is returned without its aborted part.
 */
export async function startOnce(
  context: GatewayContext,
  exchange: Exchange,
  caller: Caller,
  start: (keep?: SavePlan) => Promise<StartedAnswer>,
): Promise<StartedAnswer> {
  const key = readIdempotencyKey(exchange)
  if (key === undefined) return await start()
  const path = exchange.url.split('?', 1)[0]
  const { owner, ...wishes } = caller
  const keyed = {
    id: fingerprint([owner, path, key]),
    request: fingerprint([exchange.body, wishes]),
  }
  const isGood = async (answer: StartedAnswer): Promise<boolean> =>
    (await context.index.row(answer.session)) !== undefined && !(await endedBadly(context, answer))
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

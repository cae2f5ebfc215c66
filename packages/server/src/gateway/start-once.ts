/** One answer per Idempotency-Key, for requests that carry one. */
import type { FastifyRequest } from 'fastify'
import { readIdempotencyKey } from '../idempotency-key.ts'
import type { GatewayContext, StartedAnswer } from './answer-plan.ts'
import type { Caller } from './caller.ts'
import { fingerprint } from './chain.ts'
import { endedBadly } from './log-ahead.ts'

/** Throws `conflict` when the key was used for another request. An answer that failed or was cancelled may be asked for again. */
export async function startOnce(
  context: GatewayContext,
  request: FastifyRequest,
  caller: Caller,
  start: () => Promise<StartedAnswer>,
): Promise<StartedAnswer> {
  const key = readIdempotencyKey(request)
  if (key === undefined) return await start()
  const path = request.url.split('?', 1)[0]
  const { session_id, server_tools } = caller
  const keyed = {
    id: fingerprint([caller.owner, path, key]),
    request: fingerprint([request.body, session_id ?? null, server_tools ?? null]),
  }
  const isGood = async (answer: StartedAnswer): Promise<boolean> =>
    (await context.index.row(answer.session)) !== undefined && !(await endedBadly(context, answer))
  return await context.receipts.once(keyed, { start, isGood })
}

/** Older era: questions go out on the stream of the call, while the inbox may answer first. */
import type { ServerContext } from '@modelcontextprotocol/server'
import { AppError, type HostedCall, type HostedOutcome } from '@toolwire/core'
import type { AskedItem, CallScope, Pause } from './call-scope.ts'
import { toAnswer } from './elicit.ts'
import { progressSender } from './progress.ts'

/** Questions wait for a person; the longest delay that timers have is 24 days. */
const QUESTION_MS = 24 * 60 * 60 * 1000
/** Attempts with answers that do not fit. */
const MAX_ATTEMPTS = 3

/** The outcome after the pause; undefined when the user put a question aside, and the items stay open. */
export async function askOnStream(
  { serving, ctx }: CallScope,
  call: HostedCall,
  { pause, asked }: { readonly pause: Pause; readonly asked: readonly AskedItem[] },
): Promise<HostedOutcome | undefined> {
  const { signal } = ctx.mcpReq
  const dismissed = new AbortController()
  const settled = new AbortController()
  const outcome = serving.host
    .follow(call, {
      signal: AbortSignal.any([signal, dismissed.signal]),
      onProgress: progressSender(ctx),
      after: pause.position,
    })
    .finally(() => settled.abort())
  const asking = askAll({ serving, ctx, settled: settled.signal }, call, asked).then(isAnswered => {
    if (!isAnswered) dismissed.abort()
  })
  const [ended] = await Promise.all([outcome, asking])
  return ended.type === 'running' && !signal.aborted ? undefined : ended
}

interface AskScope {
  readonly serving: CallScope['serving']
  readonly ctx: ServerContext
  /** Aborted when the call continues: what is still asked is taken back. */
  readonly settled: AbortSignal
}

/** False when a question stays open. */
async function askAll(asking: AskScope, call: HostedCall, asked: readonly AskedItem[]): Promise<boolean> {
  for (const one of asked) if (!(await ask(asking, call, one))) return false
  return true
}

async function ask(asking: AskScope, call: HostedCall, { item, request }: AskedItem): Promise<boolean> {
  const { serving, ctx, settled } = asking
  for (let attempt = 0; attempt < MAX_ATTEMPTS && !settled.aborted; attempt++) {
    const response = await elicit(ctx, request, settled)
    const answer = response && toAnswer(item, response)
    if (settled.aborted) return true
    if (answer === undefined || answer === 'dismissed') return false
    try {
      await serving.host.answer(call, item.id, answer)
      return true
    } catch (error) {
      // An answer that does not fit is asked for again.
      if (!AppError.is(error) || error.code !== 'bad_request') throw error
    }
  }
  return settled.aborted
}

/** Undefined for a client that fails to answer. */
async function elicit(ctx: ServerContext, request: AskedItem['request'], signal: AbortSignal) {
  if (request.method !== 'elicitation/create') return undefined
  try {
    return await ctx.mcpReq.elicitInput(request.params, {
      signal,
      timeout: QUESTION_MS,
      // Without it the question would need the stream that few clients open.
      relatedRequestId: ctx.mcpReq.id,
    })
  } catch {
    return undefined
  }
}

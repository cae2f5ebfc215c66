/** A call that waits for a person: asks the client's user where that is allowed, else leaves it to the inbox. */
import { type CallToolResult, type InputRequiredResult, inputRequired } from '@modelcontextprotocol/server'
import {
  AppError,
  type CallHost,
  type HostedCall,
  type HostedOutcome,
  type PendingItem,
} from '@toolwire/core'
import { askOnStream } from './ask-on-stream.ts'
import type { AskedItem, CallScope, Pause } from './call-scope.ts'
import { canElicit, elicitationOf, readResponse } from './elicit.ts'
import { progressSender } from './progress.ts'
import { CallState } from './request-state.ts'
import { KEY_META } from './start-call.ts'

export type Resolution =
  | { readonly type: 'answer'; readonly answer: CallToolResult | InputRequiredResult }
  | { readonly type: 'outcome'; readonly outcome: HostedOutcome }

/** Wait for the inbox when the client cannot be asked. */
const INBOX_MS = 30_000

/** Records the responses that a repeated request brings. True if the call can continue. */
export async function answerPause(
  { serving, ctx }: CallScope,
  call: HostedCall,
  { pending }: Pause,
): Promise<boolean> {
  const state = ctx.mcpReq.requestState()
  if (state === undefined) return false
  const sent = CallState.parse(state).items
  const items = pending.filter(one => sent.includes(one.id))
  return await answerItems(serving.host, call, { items, responses: ctx.mcpReq.inputResponses })
}

interface ReceivedResponses {
  /** Those that were sent to the client. */
  readonly items: readonly PendingItem[]
  readonly responses: Readonly<Record<string, unknown>> | undefined
}

/** Records the responses. True if there was one that fits. */
export async function answerItems(
  host: Pick<CallHost, 'answer'>,
  call: HostedCall,
  { items, responses }: ReceivedResponses,
): Promise<boolean> {
  let isAnswered = false
  for (const item of items) {
    const answer = readResponse(item, responses)
    if (answer === undefined || answer === 'dismissed') continue
    try {
      await host.answer(call, item.id, answer)
      isAnswered = true
    } catch (error) {
      // An answer that does not fit is asked for again.
      if (!AppError.is(error) || error.code !== 'bad_request') throw error
    }
  }
  return isAnswered
}

export async function resolvePause(scope: CallScope, call: HostedCall, pause: Pause): Promise<Resolution> {
  const { era, ctx, codec } = scope
  const asked = askedItems(scope, pause)
  if (asked.length === 0) return await waitForInbox(scope, call, pause)
  if (era === 'legacy') {
    const outcome = await askOnStream(scope, call, { pause, asked })
    return outcome ? { type: 'outcome', outcome } : toWaiting(call, pause)
  }
  if (asked.every(({ item }) => readResponse(item, ctx.mcpReq.inputResponses) === 'dismissed'))
    return toWaiting(call, pause)
  const state = { call: call.id, items: asked.map(({ item }) => item.id) }
  const answer = inputRequired({
    inputRequests: Object.fromEntries(asked.map(({ item, request }) => [item.id, request])),
    requestState: await codec.mint(state, ctx),
  })
  return { type: 'answer', answer }
}

export function askedItems(
  { serving, server, era, ctx }: CallScope,
  { pending }: Pause,
): readonly AskedItem[] {
  const support = canElicit(era, server, ctx)
  const mayApprove = serving.host.mayApprove()
  return pending.flatMap(item => {
    const request = elicitationOf(item, support, mayApprove)
    return request ? [{ item, request }] : []
  })
}

async function waitForInbox(scope: CallScope, call: HostedCall, pause: Pause): Promise<Resolution> {
  const { serving, ctx } = scope
  const { signal } = ctx.mcpReq
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), serving.inboxMs ?? INBOX_MS)
  try {
    const outcome = await serving.host.follow(call, {
      signal: AbortSignal.any([signal, timeout.signal]),
      onProgress: progressSender(ctx),
      after: pause.position,
    })
    return outcome.type === 'running' && !signal.aborted
      ? toWaiting(call, pause)
      : { type: 'outcome', outcome }
  } finally {
    clearTimeout(timer)
  }
}

/** An error result that names the open items. */
function toWaiting(call: HostedCall, { pending }: Pause): Resolution {
  const items = pending.map(({ id, name, kind }) => `${kind} ${id} (${name})`).join(', ')
  const text = `The call waits for a person: ${items}. Answer it in the inbox of Toolwire or with POST /api/approvals/:id. Then call again with the same ${KEY_META} in _meta.`
  return {
    type: 'answer',
    answer: {
      content: [{ type: 'text', text }],
      isError: true,
      _meta: {
        'toolwire/session_id': call.session_id,
        'toolwire/pending': pending.map(({ id, kind }) => ({ id, kind })),
      },
    },
  }
}

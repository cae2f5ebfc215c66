/** `tools/call`: starts a call, or continues the one that a signed state names, until there is something to return. */
import { AsyncResource } from 'node:async_hooks'
import {
  type CallToolRequest,
  type CallToolResult,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server'
import type { HostedCall } from '@toolwire/core'
import type { CallScope } from './call-scope.ts'
import { progressSender } from './progress.ts'
import { toProtocolError } from './protocol-error.ts'
import { CallState } from './request-state.ts'
import { answerPause, resolvePause } from './resolve-pause.ts'
import { startCall, toolNameOf } from './start-call.ts'
import { resultOrTask, takesTasks, toCallResult } from './tasks.ts'

type Params = CallToolRequest['params']

/** In `_meta`: the call continues when its request is cancelled or its stream is closed. */
const DETACH_META = 'toolwire/detach'

/** Throws -32602 for what cannot be called, and for a state of another call or key. */
export async function callTool(
  scope: CallScope,
  params: Params,
): Promise<CallToolResult | InputRequiredResult> {
  try {
    const call = await findOrStart(scope, params)
    const unsubscribe = cancelWithRequest(scope, call)
    try {
      return canBecomeTask(scope) ? await resultOrTask(scope, call) : await untilAnswer(scope, call)
    } finally {
      unsubscribe()
    }
  } catch (error) {
    throw toProtocolError(error)
  }
}

/** A request with a state continues a call that did not become a task. */
const canBecomeTask = ({ era, ctx }: CallScope): boolean =>
  era === 'modern' && takesTasks(ctx) && ctx.mcpReq.requestState() === undefined

async function findOrStart(scope: CallScope, params: Params): Promise<HostedCall> {
  const { serving, ctx } = scope
  const state = ctx.mcpReq.requestState()
  if (state === undefined) return await startCall(scope, params)
  const call = await serving.host.find(CallState.parse(state).call)
  if (call && toolNameOf(serving.offer, call) === params.name) return call
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState')
}

/** Returns a function that unsubscribes. */
function cancelWithRequest({ serving, ctx }: CallScope, call: HostedCall): () => void {
  const { signal, _meta } = ctx.mcpReq
  if (_meta?.[DETACH_META] === true) return () => {}
  // The signal is aborted outside of the request, in whose name the call is cancelled.
  const cancel = AsyncResource.bind(() => {
    if (!serving.isClosing) void serving.host.cancel(call, 'cancelled by the client').catch(() => {})
  })
  if (signal.aborted) cancel()
  signal.addEventListener('abort', cancel, { once: true })
  return () => signal.removeEventListener('abort', cancel)
}

async function untilAnswer(
  scope: CallScope,
  call: HostedCall,
): Promise<CallToolResult | InputRequiredResult> {
  const { host } = scope.serving
  const waiting = { signal: scope.ctx.mcpReq.signal, onProgress: progressSender(scope.ctx) }
  let outcome = await host.follow(call, waiting)
  if (outcome.type === 'paused' && (await answerPause(scope, call, outcome)))
    outcome = await host.follow(call, waiting)
  while (outcome.type === 'paused') {
    const resolved = await resolvePause(scope, call, outcome)
    if (resolved.type === 'answer') return resolved.answer
    outcome = resolved.outcome
  }
  if (outcome.type === 'result') return toCallResult(outcome.result)
  throw new ProtocolError(ProtocolErrorCode.InternalError, 'The request was cancelled.')
}

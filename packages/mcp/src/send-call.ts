/** One request on behalf of a call, within the patience that its server is given. */
import { type Client, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client'
import { createCallTimer, type Patience } from './call-timer.ts'
import type { LiveCallHandlers } from './live-call.ts'
import { type McpAnswer, type McpRequest, type Resume, sendRequest } from './mcp-request.ts'
import type { QuestionRouter } from './question-router.ts'
import type { McpServerConfig } from './server-config.ts'

export interface McpCall {
  readonly request: McpRequest
  readonly voice: LiveCallHandlers
  /** The owner of the call: questions never reach another owner. */
  readonly owner: string
  /** The folders that the server may work in for this call. */
  readonly roots: readonly string[]
  readonly resume?: Resume
}

/** Answers a question that belongs to a call. */
export interface QuestionHandler {
  readonly ask: LiveCallHandlers['ask']
  readonly roots: readonly string[]
}

/** The server gave no sign of life, or took too long in all. */
export class CallTimeoutError extends Error {
  override readonly name = 'CallTimeoutError'
}

const IDLE_MS = 60_000
const MAX_TOTAL_MS = 30 * 60_000
/** The longest that timers take: the patience is counted here, not there. */
const NEVER = 2 ** 31 - 1

/** Throws what the protocol throws, or `CallTimeoutError`; the signal of the call's voice ends it. */
export async function sendCall(
  client: Client,
  call: McpCall,
  config: McpServerConfig,
  askers: QuestionRouter<QuestionHandler>,
): Promise<McpAnswer> {
  const patience = createCallTimer({
    idle_ms: config.timeout_ms ?? IDLE_MS,
    total_ms: config.max_total_ms ?? MAX_TOTAL_MS,
  })
  const { voice, owner, roots } = call
  const ask: QuestionHandler['ask'] = async (asked, signal) => {
    patience.pause()
    try {
      return await voice.ask(asked, signal)
    } finally {
      patience.resume()
    }
  }
  try {
    return await askers.run({ owner, answer: { ask, roots } }, () => request(client, call, patience))
  } catch (error) {
    if (patience.signal.aborted && !voice.signal.aborted)
      throw new CallTimeoutError('It gave no sign of life for too long.', { cause: error })
    throw error
  } finally {
    patience.stop()
  }
}

async function request(client: Client, call: McpCall, patience: Patience): Promise<McpAnswer> {
  const { voice } = call
  return await sendRequest(client, call.request, call.resume, {
    signal: AbortSignal.any([voice.signal, patience.signal]),
    // Without a listener no token is sent, and no server would report.
    onprogress(progress) {
      patience.touch()
      voice.onProgress(progress)
    },
    timeout: NEVER,
  })
}

/** A session that the server no longer knows: it cannot have run the call. */
export const isUnknownSession = (error: unknown): boolean =>
  SdkHttpError.isInstance(error) && error.status === 404

/** The connection is no more, as opposed to an answer that says no. */
export function isGone(error: unknown): boolean {
  if (isUnknownSession(error)) return true
  if (SdkError.isInstance(error))
    return error.code === SdkErrorCode.ConnectionClosed || error.code === SdkErrorCode.NotConnected
  // A failed fetch.
  return error instanceof TypeError
}

/** One request for a tool, within the patience that its server is given. */
import {
  type Client,
  type InputResponses,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
} from '@modelcontextprotocol/client'
import type { Askers } from './askers.ts'
import type { ListedTool } from './list-tools.ts'
import type { LiveVoice, McpAnswer } from './live-call.ts'
import { createPatience, type Patience } from './patience.ts'
import type { McpServerConfig } from './server-config.ts'

export interface McpCall {
  readonly tool: ListedTool
  readonly input: Readonly<Record<string, unknown>>
  readonly voice: LiveVoice
  /** Who is behind it: questions never reach another owner. */
  readonly owner: string
  /** The folders that the server may work in for this call. */
  readonly roots: readonly string[]
  /** What the server asked for in an earlier round. */
  readonly resume?: {
    readonly responses: Readonly<Record<string, unknown>>
    readonly request_state: string | undefined
  }
}

/** How a question that belongs to a call is answered. */
export interface CallEar {
  readonly ask: LiveVoice['ask']
  readonly roots: readonly string[]
}

/** The server gave no sign of life, or took too long in all. */
export class OutOfPatienceError extends Error {
  override readonly name = 'OutOfPatienceError'
}

const IDLE_MS = 60_000
const MAX_TOTAL_MS = 30 * 60_000
/** The longest that timers take: the patience is counted here, not there. */
const NEVER = 2 ** 31 - 1

/** Throws what the protocol throws, or `OutOfPatienceError`; the signal of the call's voice ends it. */
export async function sendCall(
  client: Client,
  call: McpCall,
  config: McpServerConfig,
  askers: Askers<CallEar>,
): Promise<McpAnswer> {
  const patience = createPatience({
    idle_ms: config.timeout_ms ?? IDLE_MS,
    total_ms: config.max_total_ms ?? MAX_TOTAL_MS,
  })
  const { voice, owner, roots } = call
  const ask: CallEar['ask'] = async (asked, signal) => {
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
      throw new OutOfPatienceError('It gave no sign of life for too long.', { cause: error })
    throw error
  } finally {
    patience.stop()
  }
}

async function request(client: Client, call: McpCall, patience: Patience): Promise<McpAnswer> {
  const { tool, input, voice, resume } = call
  // Without its output schema: a result that breaks it is still a result.
  const toolDefinition = { name: tool.name, inputSchema: { ...tool.input_schema, type: 'object' as const } }
  const { responses, request_state } = resume ?? {}
  const params = {
    name: tool.name,
    arguments: { ...input },
    ...(responses && Object.keys(responses).length > 0
      ? { inputResponses: { ...responses } as InputResponses }
      : {}),
    ...(request_state === undefined ? {} : { requestState: request_state }),
  }
  return await client.callTool(params, {
    signal: AbortSignal.any([voice.signal, patience.signal]),
    toolDefinition,
    // Without a listener no token is sent, and no server would report.
    onprogress(progress) {
      patience.touch()
      voice.onProgress(progress)
    },
    timeout: NEVER,
    allowInputRequired: true,
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

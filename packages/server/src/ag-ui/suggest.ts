/**
 * Suggestions of what the user may write next: one call of a model that has to call the page's own tool. There is no
 * session, no tool of the server and nothing in a log; what it cost is charged to the key.
 */
import {
  AppError,
  ERRORS,
  type ErrorCode,
  type Failure,
  type HistoryMessage,
  type ModelPart,
  type Usage,
} from '@toolwire/core'
import { type AgUiRequest, decodeAgUiRequest, type PageText } from '@toolwire/wire'
import type { Limiter } from '../access/limiter.ts'
import { LOCAL_OPERATOR } from '../access/principal.ts'
import { charge } from '../access/spending.ts'
import { type Exchange, toSignal } from '../http/exchange.ts'
import { type Reply, rawReply } from '../http/reply.ts'
import type { RouteContext } from '../http/route-context.ts'
import { SSE_HEADERS } from '../http/sse.ts'
import { defaultModel } from '../sessions/default-model.ts'

/** Of one owner. Pages ask after every answer, and several times when they load. */
const LIMITS = { requests_per_minute: 30, concurrent: 4, budget_usd: null }
const MAX_TOKENS = 1000

/** Throws `too_many_requests`, and what the model's provider refuses before its answer. */
export async function sendSuggestions(
  context: RouteContext,
  exchange: Exchange,
  body: unknown,
): Promise<Reply> {
  const request = decodeAgUiRequest(body)
  const leave = enter(context.suggestions, context.principal().owner)
  try {
    const call = await askForCall(context, request, toSignal(exchange.client))
    const ids = { threadId: request.thread_id, runId: request.run_id }
    const events = [{ type: 'RUN_STARTED', ...ids }, ...toEvents(call), { type: 'RUN_FINISHED', ...ids }]
    exchange.setHeaders(SSE_HEADERS)
    return rawReply(200, events.map(event => `data: ${JSON.stringify(event)}\n\n`).join(''))
  } finally {
    leave()
  }
}

function enter(limiter: Limiter, owner: string): () => void {
  try {
    return limiter.enter({ ...LOCAL_OPERATOR, key_id: owner, limits: LIMITS })
  } catch (error) {
    if (!AppError.is(error)) throw error
    throw new AppError('too_many_requests', 'Too many requests for suggestions.', error.details)
  }
}

interface SuggestedCall {
  readonly id: string
  readonly name: string
  readonly input_text: string
}

function toEvents(call: SuggestedCall | undefined): readonly object[] {
  if (!call) return []
  const { id: toolCallId, name: toolCallName, input_text: delta } = call
  return [
    { type: 'TOOL_CALL_START', toolCallId, toolCallName },
    ...(delta === '' ? [] : [{ type: 'TOOL_CALL_ARGS', toolCallId, delta }]),
    { type: 'TOOL_CALL_END', toolCallId },
  ]
}

/** Undefined for a model that makes no call, and for a request without the page's tool. */
async function askForCall(
  context: RouteContext,
  { tools = [], texts: readTexts }: AgUiRequest,
  signal: AbortSignal,
): Promise<SuggestedCall | undefined> {
  const { ports } = context
  const [tool] = tools
  const texts = readTexts()
  if (!ports.askModel || !tool || texts.length === 0) return undefined
  const model = defaultModel(context)
  ports.checkModel(model)
  const messages = texts.map(toMessage)
  const tool_choice = { type: 'tool', name: tool.name } as const
  const parts = ports.askModel(
    model,
    { model, messages, tools: [tool], tool_choice, max_tokens: MAX_TOKENS },
    signal,
  )
  let call: SuggestedCall | undefined
  for await (const part of parts) {
    call = readCall(call, part, tool.name)
    if (part.type === 'end' || part.type === 'error') await pay(context, part)
    if (part.type === 'error') throw toAppError(part.error)
  }
  return call
}

const toAppError = ({ code, message }: Failure): AppError =>
  new AppError(Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : 'model_error', message)

/** The first call of the tool. */
function readCall(call: SuggestedCall | undefined, part: ModelPart, name: string): SuggestedCall | undefined {
  if (part.type === 'block-start')
    return call ?? (part.tool?.name === name ? { id: part.tool.id, name, input_text: '' } : undefined)
  if (part.type !== 'block-delta' || !call || part.input_text === undefined) return call
  return { ...call, input_text: call.input_text + part.input_text }
}

async function pay(
  { records, principal }: RouteContext,
  { usage, cost_usd }: { readonly usage?: Usage; readonly cost_usd?: number },
): Promise<void> {
  if (!records || !usage) return
  const { input, cache_read, cache_write, output } = usage
  const input_tokens = input + cache_read + cache_write
  await charge(records, principal(), { usd: cost_usd ?? null, input_tokens, output_tokens: output })
}

/** The page is believed in nothing else. */
function toMessage({ role, text }: PageText, at: number): HistoryMessage {
  const content = [{ type: 'text', text } as const]
  if (role === 'user') return { role, content }
  return { role, message_id: `shown_${at}`, provider: 'client', model: '', content }
}

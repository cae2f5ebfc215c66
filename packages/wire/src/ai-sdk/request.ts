/**
 * Requests of the AI SDK's chat. A page sends its whole list of messages; only new user messages and answers to open
 * calls are read from it. Everything else in the list is a view of the log, and the log is the truth.
 */
import { AppError, type ContentPart, type ToolSpec } from '@toolwire/core'
import { z } from 'zod'
import { ClientId } from '../shared/client-id.ts'
import { ClientTools } from '../shared/client-tools.ts'
import { MAX_MESSAGES } from '../shared/count-limits.ts'
import type { PageAnswers, PageDecision, PageOutput } from '../shared/page-answers.ts'
import { type PageText, readPageTexts, textIn } from '../shared/page-text.ts'
import { parseBody } from '../shared/parse-body.ts'
import {
  type MessageGuard,
  toWhenRunning,
  type WhenRunning,
  whenRunningFields,
} from '../shared/when-running.ts'
import type { HeldMessage } from './ai-sdk-state.ts'
import { decodeHeldMessage } from './held-message.ts'
import { UserParts } from './user-content.ts'

const MAX_OUTPUT = 4_000_000
const MAX_REASON = 16_384
const MAX_ANSWERS = 256
const MAX_TOOLS = 262_144

/** Strict for the fields that are read; what a page repeats of earlier turns is passed over. */
const Message = z.object({
  id: z.string().max(256).nullish(),
  role: z.string().max(64),
  parts: z.array(z.unknown()).nullish(),
})

/** An array of tools, or an object by name. */
const Tools = z
  .preprocess(
    fields =>
      typeof fields === 'object' && fields !== null && !Array.isArray(fields)
        ? Object.entries(fields).map(([name, tool]) => ({ ...Object(tool), name }))
        : fields,
    ClientTools,
  )
  .refine(
    tools => JSON.stringify(tools).length <= MAX_TOOLS,
    `all tools together have at most ${MAX_TOOLS} characters`,
  )

export const AiSdkBody = z.object({
  id: ClientId,
  messages: z.array(Message).max(MAX_MESSAGES).nullish(),
  message: Message.nullish(),
  trigger: z.enum(['submit-message', 'regenerate-message']).nullish(),
  messageId: z.string().max(256).nullish(),
  tools: Tools.nullish(),
  model: z.string().min(1).max(256).nullish(),
  ...whenRunningFields,
})

export interface ListedMessage {
  readonly id?: string
  readonly role: string
}

export interface NewMessage {
  readonly id?: string
  readonly content: readonly ContentPart[]
}

export interface AiSdkRequest {
  readonly chat_id: string
  readonly isRegenerate: boolean
  /** The message that is edited, answered again or continued. */
  readonly message_id?: string
  /** One message instead of the list: it is appended, whatever came before it. */
  readonly isSingle: boolean
  readonly list: readonly ListedMessage[]
  /** User messages behind the last message of the assistant. */
  readonly users: readonly NewMessage[]
  /** The last message of the assistant. */
  readonly held?: HeldMessage
  readonly answers: PageAnswers
  /** Texts before the new messages, as the page shows them: they are no facts. */
  readonly texts: () => readonly PageText[]
  readonly tools?: readonly ToolSpec[]
  readonly model?: string
  readonly fields: WhenRunning['fields']
  readonly guard: MessageGuard
}

/** Decodes the body of a chat request. Throws `bad_request`. */
export function decodeAiSdkRequest(body: unknown): AiSdkRequest {
  const fields = parseBody(AiSdkBody, body)
  const messages = fields.message ? [fields.message] : (fields.messages ?? [])
  if (messages.length === 0) throw new AppError('bad_request', 'messages: at least one message is required')
  const lastAnswer = messages.findLastIndex(({ role }) => role === 'assistant')
  const answered = messages[lastAnswer]
  const held = decodeHeldMessage(answered)
  const users = messages
    .slice(lastAnswer + 1)
    .flatMap((message, i) => (message.role === 'user' ? [toNew(message, lastAnswer + 1 + i)] : []))
  return {
    chat_id: fields.id,
    isRegenerate: fields.trigger === 'regenerate-message',
    ...(fields.messageId ? { message_id: fields.messageId } : {}),
    isSingle: Boolean(fields.message),
    list: messages.map(({ id, role }) => (id ? { id, role } : { role })),
    users,
    ...(held ? { held } : {}),
    answers: toAnswers(answered?.parts ?? []),
    texts: () => readPageTexts(messages.slice(0, lastAnswer + 1), readText),
    ...(fields.tools ? { tools: fields.tools } : {}),
    ...(fields.model ? { model: fields.model } : {}),
    ...toWhenRunning(fields),
  }
}

const readText = ({ role, parts }: z.output<typeof Message>): string | undefined =>
  role === 'user' || role === 'assistant' ? textIn(parts) : undefined

function toNew({ id, parts }: z.output<typeof Message>, index: number): NewMessage {
  const parsed = UserParts.safeParse(parts ?? [])
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const path = ['messages', index, 'parts', ...(issue?.path ?? [])].join('.')
    throw new AppError('bad_request', `${path}: ${issue?.message ?? 'is not valid'}`)
  }
  return { ...(id ? { id } : {}), content: parsed.data }
}

const ToolPart = z.object({
  toolCallId: z.string().min(1).max(256),
  state: z.string(),
  output: z.unknown().optional(),
  errorText: z.string().nullish(),
  approval: z
    .object({ id: z.string().min(1).max(256), approved: z.boolean().nullish(), reason: z.string().nullish() })
    .nullish(),
})

/** Parts that are not answers are passed over; so is a decision that is not exactly true or false. */
function toAnswers(parts: readonly unknown[]): PageAnswers {
  const tools = parts.flatMap(part => ToolPart.safeParse(part).data ?? [])
  return {
    outputs: tools.flatMap(toOutput).slice(0, MAX_ANSWERS),
    approvals: tools.flatMap(toApproval).slice(0, MAX_ANSWERS),
  }
}

type ToolPartClaim = z.output<typeof ToolPart>

function toOutput({ toolCallId: call_id, state, output, errorText }: ToolPartClaim): PageOutput[] {
  if (state === 'output-error') return [{ call_id, output_text: errorText ?? '', is_error: true }]
  if (state !== 'output-available') return []
  const output_text = typeof output === 'string' ? output : (JSON.stringify(output) ?? 'null')
  return output_text.length > MAX_OUTPUT ? [] : [{ call_id, output_text, is_error: false }]
}

function toApproval({ state, approval }: ToolPartClaim): PageDecision[] {
  if (state !== 'approval-responded' || !approval || typeof approval.approved !== 'boolean') return []
  const reason = approval.reason ? { reason: approval.reason.slice(0, MAX_REASON) } : {}
  return [{ approval_id: approval.id, decision: approval.approved ? 'approved' : 'denied', ...reason }]
}

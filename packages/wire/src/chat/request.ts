/**
 * Request bodies of the streaming chat API, decoded to what they ask to append. Pure:
 * unknown fields are ignored, wrong types and sizes refused with the path of the field.
 */
import { AppError, type EventOf } from '@toolwire/core'
import { z } from 'zod'
import { ClientTools } from '../shared/client-tools.ts'
import { limitFields, toLimits } from '../shared/limit-fields.ts'
import { MessageContent } from '../shared/message-content.ts'
import { parseBody } from '../shared/parse-body.ts'
import { type MessageGuard, toWhenRunning, whenRunningFields } from '../shared/when-running.ts'

const MAX_OUTPUT = 4_000_000
const id = z.string().min(1).max(256)

/** An output as text: a string as it is, text parts joined, anything else as JSON. */
const outputText = z
  .union([
    z.string(),
    z
      .array(z.object({ type: z.literal('text'), text: z.string() }))
      .transform(parts => parts.map(p => p.text).join('\n')),
    z
      .unknown()
      .refine(value => value !== undefined, { message: 'an output is required' })
      .transform(v => JSON.stringify(v)),
  ])
  .refine(text => text.length <= MAX_OUTPUT, { message: `an output has at most ${MAX_OUTPUT} characters` })

const ToolOutput = z
  .object({
    tool_use_id: id.optional(),
    call_id: id.optional(),
    tool_call_id: id.optional(),
    output: outputText.optional(),
    content: outputText.optional(),
    is_error: z.boolean().optional(),
  })
  .transform((value, context) => {
    const call_id = value.tool_use_id ?? value.call_id ?? value.tool_call_id
    const output_text = value.output ?? value.content
    if (call_id === undefined) context.addIssue({ code: 'custom', message: 'tool_use_id is required' })
    if (output_text === undefined) context.addIssue({ code: 'custom', message: 'output is required' })
    if (call_id === undefined || output_text === undefined) return z.NEVER
    return { call_id, output_text, is_error: value.is_error ?? false }
  })

const ToolOutputs = z.array(ToolOutput).min(1).max(256)

const DECISIONS = {
  approve: 'approved',
  approved: 'approved',
  allow: 'approved',
  deny: 'denied',
  denied: 'denied',
  cancel: 'cancelled',
  cancelled: 'cancelled',
} as const
const TEN_YEARS_S = 315_360_000
const answerFields = {
  decision: z.enum(['approve', 'approved', 'allow', 'deny', 'denied', 'cancel', 'cancelled']).optional(),
  approved: z.boolean().optional(),
  reason: z.string().max(16_384).optional(),
  rule: z.string().max(4096).optional(),
  /** Seconds for which the rule applies; permanent if absent. */
  rule_ttl_s: z.number().int().min(1).max(TEN_YEARS_S).optional(),
  /** Arguments to run instead of the ones that the model wrote. */
  input: z.unknown().optional(),
  /** A result for the model, instead of running the call. */
  answer: z.unknown().optional(),
}
type AnswerFields = z.infer<z.ZodObject<typeof answerFields>>

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

function toAnswer(
  value: AnswerFields,
  context: { addIssue: (issue: { code: 'custom'; message: string }) => void },
) {
  const decided = value.decision === undefined ? undefined : DECISIONS[value.decision]
  const said = value.approved === undefined ? undefined : value.approved ? 'approved' : 'denied'
  const implied = value.answer === undefined ? undefined : 'approved'
  const decision = decided ?? said ?? implied
  if (decision === undefined || (decided && said && decided !== said)) {
    context.addIssue({ code: 'custom', message: 'decision is required: approved or denied' })
    return z.NEVER
  }
  return {
    decision,
    ...(value.reason === undefined ? {} : { reason: value.reason }),
    ...(value.rule === undefined ? {} : { rule: value.rule }),
    ...(value.rule === undefined || value.rule_ttl_s === undefined ? {} : { rule_ttl_s: value.rule_ttl_s }),
    ...(value.input === undefined ? {} : { edited_input_text: asText(value.input) }),
    ...(value.answer === undefined ? {} : { answer_text: asText(value.answer) }),
  } as const
}

export const ApprovalBody = z.object(answerFields).transform(toAnswer)
const Approval = z
  .object({ ...answerFields, approval_id: id })
  .transform((value, context) => ({ approval_id: value.approval_id, ...toAnswer(value, context) }))

export const ChatBody = z.object({
  session_id: id,
  message: MessageContent.optional(),
  model: z.string().min(1).max(256).nullish(),
  tools: ClientTools.nullish(),
  tool_outputs: ToolOutputs.optional(),
  approvals: z.array(Approval).min(1).max(256).optional(),
  ...limitFields,
  options: z.record(z.string(), z.unknown()).nullish(),
  resume: z.string().min(1).max(256).nullish(),
  if_paused: z.enum(['supersede', 'queue']).optional(),
  ...whenRunningFields,
})

/** A message alone; its session is in the path. */
export const MessageBody = ChatBody.omit({ session_id: true, tool_outputs: true, approvals: true }).strict()

/** A change of a message that waits. */
export const QueuePatchBody = z.strictObject({
  message: MessageContent.optional(),
  when_running: z.enum(['queue', 'steer']).optional(),
  /** Its new position among the messages that wait, from 0. */
  position: z.number().int().min(0).max(1000).optional(),
  if_revision: z.number().int().min(0).optional(),
})

export const ToolOutputsBody = z.object({ tool_outputs: ToolOutputs })

export type ToolOutputAnswer = z.output<typeof ToolOutput>
export type ApprovalAnswer = z.output<typeof ApprovalBody>
export type AddressedApproval = ApprovalAnswer & { readonly approval_id: string }

/** The stored part of a message; time, run and message id are the server's. */
export type MessageInput = Omit<EventOf<'input.message'>, 'ts' | 'run_id' | 'message_id'>

/** The command of a chat request. */
export type ChatCommand =
  | {
      readonly type: 'message'
      readonly session_id: string
      readonly input: MessageInput
      readonly guard: MessageGuard
    }
  | {
      readonly type: 'answers'
      readonly session_id: string
      readonly outputs: readonly ToolOutputAnswer[]
      readonly approvals: readonly AddressedApproval[]
    }

/** Decodes the body of a chat request. Throws `bad_request`. */
export function decodeChatRequest(body: unknown): ChatCommand {
  const { session_id, message, tool_outputs, approvals, ...rest } = parseBody(ChatBody, body)
  const hasAnswers = tool_outputs !== undefined || approvals !== undefined
  const hasMessage = message !== undefined && message.length > 0
  if (hasAnswers && hasMessage)
    throw new AppError(
      'bad_request',
      'Send a message, or tool_outputs and approvals; not both in one request.',
    )
  if (hasAnswers)
    return { type: 'answers', session_id, outputs: tool_outputs ?? [], approvals: approvals ?? [] }
  if (!hasMessage)
    throw new AppError('bad_request', 'message: a message, tool_outputs or approvals are required')
  const options = rest.resume ? { ...rest.options, resume: rest.resume } : rest.options
  const { fields, guard } = toWhenRunning(rest)
  const input: MessageInput = {
    type: 'input.message',
    role: 'user',
    content: message,
    via: { protocol: 'chat' },
    ...(rest.tools ? { client_tools: rest.tools } : {}),
    ...(rest.model ? { model: rest.model } : {}),
    ...toLimits(rest),
    ...(options ? { options } : {}),
    ...fields,
  }
  return { type: 'message', session_id, input, guard }
}

/** Decodes `{tool_outputs: […]}`. Throws `bad_request`. */
export const decodeToolOutputs = (body: unknown): readonly ToolOutputAnswer[] =>
  parseBody(ToolOutputsBody, body).tool_outputs

/** Decodes an approval's answer. Throws `bad_request`. */
export const decodeApproval = (body: unknown): ApprovalAnswer => parseBody(ApprovalBody, body)

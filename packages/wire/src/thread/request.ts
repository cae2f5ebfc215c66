/**
 * Request bodies of the thread protocol, decoded to what they ask for. Pure: unknown fields
 * are ignored, wrong types and sizes refused with the path of the field.
 */
import { AppError, type EventOf } from '@toolwire/core'
import { z } from 'zod'
import { ClientTools } from '../shared/client-tools.ts'
import { limitFields, toLimits } from '../shared/limit-fields.ts'
import { parseBody } from '../shared/parse-body.ts'
import { type MessageGuard, toWhenRunning, whenRunningFields } from '../shared/when-running.ts'
import { ThreadInput } from './input.ts'
import { isJson } from './json-text.ts'
import type { ThreadOptions } from './thread-state.ts'

/** Largest output of a client tool, in characters. */
const MAX_OUTPUT = 4_000_000

const TEN_YEARS_S = 315_360_000

const id = z.string().min(1).max(256)

const ToolOutput = z.object({
  call_id: id,
  output: z.string({ error: 'an output is a string that holds JSON' }),
  is_error: z.boolean().optional(),
})

const ToolApproval = z.object({
  call_id: id,
  approved: z.boolean(),
  reason: z.string().max(16_384).nullish(),
  /**
   * Allows similar calls from now on, for the session or, with the prefix `project:`, for every session in the
   * folder.
   */
  rule: z.string().min(1).max(4096).nullish(),
  /** Seconds for which the rule applies; permanent if absent. */
  rule_ttl_s: z.number().int().min(1).max(TEN_YEARS_S).nullish(),
  arguments: z
    .union([z.string(), z.record(z.string(), z.unknown()).transform(value => JSON.stringify(value))])
    .refine(text => text.length <= MAX_OUTPUT && isJson(text), {
      message: 'arguments are a JSON object, or a string that holds one',
    })
    .nullish(),
  answer: z.string().max(MAX_OUTPUT).nullish(),
})

const ThreadId = z.union([
  z.number().int().nonnegative(),
  z
    .string()
    .min(1)
    .max(128)
    .transform(text => (/^\d{1,15}$/.test(text) ? Number(text) : text)),
])

export const ResponseBody = z.object({
  thread_id: ThreadId.nullish(),
  input: ThreadInput.nullish(),
  message: ThreadInput.nullish(),
  instructions: z.string().max(1_000_000).nullish(),
  name: z.string().max(256).nullish(),
  user: z.string().max(512).nullish(),
  model: z.string().min(1).max(256).nullish(),
  tools: ClientTools.nullish(),
  tool_outputs: z.array(ToolOutput).max(256).nullish(),
  tool_approvals: z.array(ToolApproval).max(256).nullish(),
  stream: z.boolean().nullish(),
  include: z.array(z.string().max(64)).max(16).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  max_tokens: z.number().int().positive().nullish(),
  tool_choice: z.unknown().optional(),
  parallel_tool_calls: z.boolean().nullish(),
  options: z.record(z.string(), z.unknown()).nullish(),
  ...limitFields,
  if_paused: z.enum(['supersede', 'queue']).nullish(),
  ...whenRunningFields,
})
type Body = z.output<typeof ResponseBody>

/** A thread by its number, or by the id of its session. */
export type ThreadRef = number | string

/** The stored part of a message; time, run and message id are the server's. */
export type ThreadMessage = Omit<EventOf<'input.message'>, 'ts' | 'run_id' | 'message_id'>

/** Settings of a thread that a message starts. */
export interface ThreadSetup {
  readonly system?: string
  readonly metadata?: Readonly<Record<string, string>>
}

interface ToolOutputGiven {
  readonly call_id: string
  readonly output_text: string
  readonly is_error: boolean
}

export interface ToolApprovalGiven {
  readonly call_id: string
  readonly decision: 'approved' | 'denied'
  readonly reason?: string
  readonly rule?: string
  readonly rule_ttl_s?: number
  readonly edited_input_text?: string
  readonly answer_text?: string
}

interface Delivery {
  /** Undefined when the request leaves it to its Accept header. */
  readonly stream?: boolean
  readonly shows: ThreadOptions
}

export type ThreadMessageCommand = Delivery & {
  readonly type: 'message'
  readonly thread?: ThreadRef
  readonly setup: ThreadSetup
  readonly input: ThreadMessage
  readonly guard: MessageGuard
}

export type ThreadAnswersCommand = Delivery & {
  readonly type: 'answers'
  readonly thread: ThreadRef
  readonly outputs: readonly ToolOutputGiven[]
  readonly approvals: readonly ToolApprovalGiven[]
}

/** The command of a request: a message, or answers to a pause. */
export type ThreadCommand = ThreadMessageCommand | ThreadAnswersCommand

/** Decodes the body of a response request. Throws `bad_request` and `payload_too_large`. */
export function decodeThreadRequest(body: unknown): ThreadCommand {
  const given = parseBody(ResponseBody, body)
  const hasAnswers = (given.tool_outputs?.length ?? 0) + (given.tool_approvals?.length ?? 0) > 0
  if (!hasAnswers) return toMessage(given)
  if ((given.input ?? given.message)?.content.length)
    throw new AppError(
      'bad_request',
      'Send input, or tool_outputs and tool_approvals; not both in one request.',
    )
  return toAnswers(given)
}

/** Decodes the body of a prepare request, which carries a message. Throws `bad_request`. */
export function decodePrepareRequest(body: unknown): ThreadMessageCommand {
  const command = decodeThreadRequest(body)
  if (command.type === 'message') return command
  throw new AppError('bad_request', 'Answers are sent to /v4/response; only a message can be prepared.')
}

const QueryFlag = z.enum(['true', 'false', '1', '0', '']).transform(text => text === 'true' || text === '1')
export const ResponseQuery = z.object({
  stream: QueryFlag.optional(),
  include: z.string().max(256).optional(),
  temperature: z.coerce.number().optional(),
  top_p: z.coerce.number().optional(),
  max_turns: z.coerce.number().optional(),
})

/** Decodes the query of a GET, the only request that an EventSource can make. Throws `bad_request`. */
export function decodeThreadQuery(query: unknown): ThreadMessageCommand {
  const known = parseBody(ResponseQuery, query)
  const { include, ...rest } = known
  const fields = query as Readonly<Record<string, unknown>>
  return decodePrepareRequest({ ...fields, ...rest, include: include?.split(',').filter(Boolean) })
}

/** The events that a reader asks for beyond the usual ones. */
export const toShows = (include: readonly string[] | null | undefined): ThreadOptions => ({
  input_deltas: include?.includes('tool.input.delta') ?? false,
  agents: include?.includes('agents') ?? false,
})

function toMessage(given: Body): ThreadMessageCommand {
  const said = given.input ?? given.message
  if (!said?.content.length)
    throw new AppError('bad_request', 'input: a message, tool_outputs or tool_approvals are required')
  const system = [given.instructions, ...said.system].filter(Boolean).join('\n\n')
  const metadata = compact({ name: given.name, user: given.user })
  const options = compact({
    temperature: given.temperature,
    top_p: given.top_p,
    max_tokens: given.max_tokens,
    tool_choice: given.tool_choice,
    parallel_tool_calls: given.parallel_tool_calls,
    ...given.options,
  })
  const { fields, guard } = toWhenRunning(given)
  return {
    type: 'message',
    ...toDelivery(given),
    ...(given.thread_id == null ? {} : { thread: given.thread_id }),
    setup: { ...(system === '' ? {} : { system }), ...(isEmpty(metadata) ? {} : { metadata }) },
    input: {
      type: 'input.message',
      role: 'user',
      content: [...said.content],
      via: { protocol: 'thread' },
      ...compact({
        client_tools: given.tools,
        model: given.model,
      }),
      ...toLimits(given),
      ...(isEmpty(options) ? {} : { options }),
      ...fields,
    },
    guard,
  }
}

function toAnswers(given: Body): ThreadAnswersCommand {
  if (given.thread_id == null) throw new AppError('bad_request', 'thread_id: answers name their thread')
  const outputs = given.tool_outputs ?? []
  for (const { call_id, output } of outputs)
    if (output.length > MAX_OUTPUT)
      throw new AppError('payload_too_large', `An output has at most ${MAX_OUTPUT} characters.`, { call_id })
  return {
    type: 'answers',
    ...toDelivery(given),
    thread: given.thread_id,
    outputs: outputs.map(({ call_id, output, is_error }) => ({
      call_id,
      output_text: output,
      is_error: is_error ?? saysItFailed(output),
    })),
    approvals: (given.tool_approvals ?? []).map(approval => ({
      call_id: approval.call_id,
      decision: approval.approved ? 'approved' : 'denied',
      ...compact({
        reason: approval.reason,
        rule: approval.rule,
        rule_ttl_s: approval.rule == null ? undefined : approval.rule_ttl_s,
        edited_input_text: approval.arguments,
        answer_text: approval.answer,
      }),
    })),
  }
}

/** Clients of this wire report a failure inside the output, as `"success": false`. */
function saysItFailed(output: string): boolean {
  if (!output.includes('"success"') || !isJson(output)) return false
  const value = JSON.parse(output) as { readonly success?: unknown } | null
  return value?.success === false
}

const toDelivery = (given: Body): Delivery => ({
  shows: toShows(given.include),
  ...(given.stream == null ? {} : { stream: given.stream }),
})

type Compact<T> = { readonly [K in keyof T]?: Exclude<T[K], null | undefined> }

/** The fields that have a value. */
function compact<T extends object>(fields: T): Compact<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)) as Compact<T>
}

const isEmpty = (value: object): boolean => Object.keys(value).length === 0

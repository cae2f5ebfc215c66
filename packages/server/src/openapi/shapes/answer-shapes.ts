/** Whole answers of the thread protocol and of the vendor wires. */
import { PendingItem } from '@toolwire/core/schema'
import type { ChatCompletion, Message as MessageAnswer } from '@toolwire/wire'
import { z } from 'zod'
import { describes } from './describes.ts'

export const ThreadAnswer = z
  .looseObject({
    outputs: z.array(
      z.discriminatedUnion('type', [
        z.object({ type: z.literal('output_text'), text: z.string() }),
        z.object({ type: z.literal('refusal'), refusal: z.string() }),
      ]),
    ),
    msg_id: z.string().nullable(),
    thread_id: z.number().int().nullable(),
    conversation_id: z.string().nullable(),
    status: z.enum(['in_progress', 'success', 'partial_success', 'with_errors', 'paused', 'canceled']),
    reason: z.string().optional(),
    pending_tools: z.array(z.unknown()).optional(),
    pending_approvals: z.array(z.unknown()).optional(),
    pending_questions: z.array(z.unknown()).optional(),
    expires_at: z.string().optional(),
    token_usage: z.unknown().optional(),
    warnings: z.array(z.object({ code: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: 'ThreadAnswer' })

export const PreparedRun = z
  .object({
    run_token: z.string().describe('Starts and reads the answer once; it needs no key.'),
    thread_id: z.number().int(),
    user_msg_id: z.string(),
  })
  .meta({ id: 'PreparedRun' })

const waiting = z.array(
  z.object({
    call_id: z.string(),
    approval_id: z.string().optional(),
    name: z.string(),
    arguments: z.unknown(),
    message: z.string().optional(),
  }),
)

export const Thread = z
  .object({
    thread_id: z.number().int(),
    session_id: z.string(),
    conversation_id: z.string().nullable(),
    title: z.string().nullable(),
    status: z.enum(['idle', 'running', 'paused', 'failed']),
    pending_tools: waiting,
    pending_approvals: waiting,
    pending_questions: waiting,
  })
  .meta({ id: 'Thread' })

/** Fields of both vendor responses beyond the vendors'. */
const extra = {
  warnings: z.array(z.object({ code: z.string(), message: z.string() })).optional(),
  pending: z.array(PendingItem).optional(),
}

const call = z.object({ name: z.string(), arguments: z.string() })
const tokens = z.number()

export const Completion = describes<ChatCompletion>()(
  z.object({
    id: z.string(),
    object: z.literal('chat.completion'),
    created: z.number().int(),
    model: z.string(),
    choices: z.array(
      z.object({
        index: z.literal(0),
        message: z.object({
          role: z.literal('assistant'),
          content: z.string().nullable(),
          refusal: z.string().nullable(),
          reasoning_content: z.string().optional(),
          tool_calls: z
            .array(z.object({ id: z.string(), type: z.literal('function'), function: call }))
            .optional(),
          function_call: call.optional(),
        }),
        logprobs: z.null(),
        finish_reason: z.enum(['stop', 'length', 'tool_calls', 'content_filter', 'function_call']),
      }),
    ),
    usage: z
      .object({
        prompt_tokens: tokens,
        completion_tokens: tokens,
        total_tokens: tokens,
        prompt_tokens_details: z.object({ cached_tokens: tokens, cache_write_tokens: tokens }),
        completion_tokens_details: z.object({ reasoning_tokens: tokens }),
      })
      .optional(),
    ...extra,
  }),
).meta({ id: 'ChatCompletion' })

const Block = z.union([
  z.object({
    type: z.literal('text'),
    text: z.string(),
    citations: z.array(z.looseObject({ type: z.string() })).optional(),
  }),
  z.object({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
  z.object({ type: z.literal('redacted_thinking'), data: z.string() }),
  z.object({ type: z.literal('tool_use'), id: z.string(), name: z.string(), input: z.unknown() }),
  z.looseObject({ type: z.enum(['server_tool_use', 'mcp_tool_use', 'container_upload']) }),
  z.looseObject({ type: z.templateLiteral([z.string(), '_tool_result']) }),
])

const STOPS = [
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'refusal',
  'model_context_window_exceeded',
] as const

export const Message = describes<MessageAnswer>()(
  z.object({
    id: z.string(),
    type: z.literal('message'),
    role: z.literal('assistant'),
    model: z.string(),
    content: z.array(Block),
    stop_reason: z.enum(STOPS).nullable(),
    stop_sequence: z.null(),
    stop_details: z.unknown().optional(),
    usage: z.object({
      input_tokens: tokens,
      output_tokens: tokens,
      cache_creation_input_tokens: tokens,
      cache_read_input_tokens: tokens,
    }),
    ...extra,
  }),
).meta({ id: 'Message' })

export const TokenCount = z.object({ input_tokens: z.number().int() }).meta({ id: 'TokenCount' })

const OpenAiModel = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: z.number().int(),
  owned_by: z.string(),
})
const AnthropicModel = z.object({
  type: z.literal('model'),
  id: z.string(),
  display_name: z.string(),
  created_at: z.string(),
})

export const VendorModel = z.union([OpenAiModel, AnthropicModel]).meta({ id: 'VendorModel' })

export const VendorModelList = z
  .union([
    z.object({
      object: z.literal('list'),
      data: z.array(OpenAiModel),
      models: z.array(z.never()).optional().describe('For requests with `client_version`; always empty.'),
    }),
    z.object({
      data: z.array(AnthropicModel),
      has_more: z.boolean(),
      first_id: z.string().nullable(),
      last_id: z.string().nullable(),
    }),
  ])
  .meta({ id: 'VendorModelList' })

/** A response repeats settings of the request beside these fields. */
export const ResponseShape = z
  .looseObject({
    id: z.string(),
    object: z.literal('response'),
    created_at: z.number().int(),
    status: z.enum(['queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled']),
    model: z.string(),
    output: z.array(z.looseObject({ type: z.string(), id: z.string() })),
    error: z.looseObject({ code: z.string().nullable(), message: z.string() }).nullable(),
    incomplete_details: z.object({ reason: z.string() }).nullable(),
    usage: z.looseObject({ input_tokens: z.number(), output_tokens: z.number() }).nullable(),
    session_id: z.string(),
  })
  .meta({ id: 'Response' })

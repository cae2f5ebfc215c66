/** Refusals in the words of each wire. */
import { ERRORS, type ErrorCode } from '@toolwire/core'
import type { ChatErrorBody, McpErrorBody, MessagesErrorBody, ThreadErrorBody } from '@toolwire/wire'
import { z } from 'zod'
import { describes } from './describes.ts'

const codes = Object.keys(ERRORS) as ErrorCode[]

export const ApiError = z
  .object({
    error: z.object({
      code: z.enum(codes),
      message: z.string(),
      retryable: z.boolean().describe('Whether the same request may succeed later.'),
      request_id: z.string(),
      details: z.unknown().optional(),
    }),
  })
  .meta({ id: 'Error' })

/** A whole answer that failed names its thread beside the error. */
export const ThreadError = describes<ThreadErrorBody>()(
  z.looseObject({
    error: z.object({
      code: z.string().describe('In upper case.'),
      message: z.string(),
      details: z.unknown().optional(),
      retryable: z.boolean(),
      request_id: z.string(),
    }),
  }),
).meta({ id: 'ThreadError' })

export const ChatError = describes<ChatErrorBody>()(
  z.object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      param: z.string().nullable(),
      code: z.string(),
    }),
  }),
).meta({ id: 'ChatCompletionsError' })

export const ResponsesErrorShape = z
  .object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      param: z.string().nullable(),
      code: z.string().nullable(),
    }),
  })
  .meta({ id: 'ResponsesError' })

export const MessagesError = describes<MessagesErrorBody>()(
  z.object({
    type: z.literal('error'),
    error: z.object({ type: z.string(), message: z.string(), details: z.unknown().optional() }),
    request_id: z.string().optional(),
  }),
).meta({ id: 'MessagesError' })

export const McpError = describes<McpErrorBody>()(
  z.object({
    jsonrpc: z.literal('2.0'),
    id: z.null(),
    error: z.object({ code: z.number(), message: z.string(), data: z.object({ code: z.enum(codes) }) }),
  }),
).meta({ id: 'McpError' })

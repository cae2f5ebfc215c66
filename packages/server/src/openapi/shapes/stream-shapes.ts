/** Shapes of each stream's events. Fields beyond the common ones depend on `type`; docs has a page per wire. */
import { z } from 'zod'
import { ChatError, MessagesError } from './error-shapes.ts'
import { RecordedEvent } from './session-shapes.ts'

const CHAT_TYPES = [
  'system',
  'stream_event',
  'content_block_start',
  'text_delta',
  'thinking_delta',
  'tool_input_delta',
  'tool_use',
  'tool_approval_request',
  'tool_approval',
  'tool_execute',
  'tool_progress',
  'tool_result',
  'message_aborted',
  'message_delivered',
  'message_withdrawn',
  'paused',
  'error',
  'result',
  'done',
] as const

export const ChatFrame = z
  .looseObject({ type: z.enum(CHAT_TYPES), session_id: z.string(), conversation_id: z.string() })
  .meta({ id: 'ChatFrame' })

const THREAD_TYPES = [
  'conversation.started',
  'conversation.resumed',
  'conversation.data',
  'conversation.paused',
  'conversation.completed',
  'conversation.canceled',
  'conversation.error',
  'iteration.started',
  'iteration.completed',
  'model.in_progress',
  'text.started',
  'text.chunk',
  'text.completed',
  'reasoning.started',
  'reasoning.chunk',
  'reasoning.completed',
  'refusal.started',
  'refusal.chunk',
  'refusal.completed',
  'tool.preparing',
  'tool.input.delta',
  'tool.call',
  'tool.execute',
  'tool.progress',
  'tool.approved',
  'tool.denied',
  'tool.result',
  'tool.error',
  'message_delivered',
  'message_withdrawn',
] as const

export const ThreadFrame = z.looseObject({ type: z.enum(THREAD_TYPES) }).meta({ id: 'ThreadFrame' })

export const ChatChunk = z
  .union([
    z.looseObject({
      id: z.string(),
      object: z.literal('chat.completion.chunk'),
      created: z.number().int(),
      model: z.string(),
      choices: z.array(
        z.looseObject({
          index: z.literal(0),
          delta: z.looseObject({ content: z.string().nullish() }),
          finish_reason: z.string().nullable(),
        }),
      ),
    }),
    ChatError,
  ])
  .meta({ id: 'ChatChunk' })

const MESSAGE_EVENTS = [
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
  'ping',
] as const

export const ResponseEvent = z
  .looseObject({ type: z.string(), sequence_number: z.number().int() })
  .meta({ id: 'ResponseEvent' })

export const MessageEvent = z
  .union([z.looseObject({ type: z.enum(MESSAGE_EVENTS) }), MessagesError])
  .meta({ id: 'MessageEvent' })

export const AnyFrame = z
  .union([RecordedEvent, ChatFrame, ThreadFrame, ChatChunk, MessageEvent])
  .meta({ id: 'AnyFrame' })

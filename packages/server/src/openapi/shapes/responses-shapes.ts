/** Answers of the Responses API beside the response itself. */
import { z } from 'zod'

export const ItemShape = z.looseObject({ id: z.string(), type: z.string() }).meta({ id: 'ResponseItem' })

export const ItemListShape = z
  .object({
    object: z.literal('list'),
    data: z.array(ItemShape),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  })
  .meta({ id: 'ResponseItemList' })

export const DeletedShape = z
  .object({ id: z.string(), object: z.string(), deleted: z.literal(true) })
  .meta({ id: 'Deleted' })

export const InputTokensShape = z
  .object({ object: z.literal('response.input_tokens'), input_tokens: z.number().int() })
  .meta({ id: 'InputTokens' })

export const CompactionShape = z
  .looseObject({
    id: z.string(),
    object: z.literal('response.compaction'),
    created_at: z.number().int(),
    output: z.array(ItemShape),
    usage: z.looseObject({ input_tokens: z.number(), output_tokens: z.number() }).nullable(),
  })
  .meta({ id: 'Compaction' })

export const ConversationShape = z
  .object({
    id: z.string(),
    object: z.literal('conversation'),
    created_at: z.number().int(),
    metadata: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Conversation' })

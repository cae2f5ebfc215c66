/** The body of a Responses request: what is read of it. Items and tools are read one by one (input-items.ts, tools.ts). */
import { z } from 'zod'
import { MAX_MESSAGES, MAX_TEXT } from '../shared/count-limits.ts'

const number = z.number()
const text = z.string()
const item = z.looseObject({ type: text.max(64).optional() })

const format = z.looseObject({ type: z.enum(['text', 'json_object', 'json_schema']) })

const toolChoice = z.union([
  z.enum(['auto', 'none', 'required']),
  z.looseObject({ type: text.max(64), name: text.max(256).optional(), namespace: text.max(256).optional() }),
])

export const ResponsesRequest = z.object({
  model: text.min(1).max(256).nullish(),
  input: z.union([text.max(MAX_TEXT), z.array(item).max(MAX_MESSAGES)]).nullish(),
  instructions: text.max(MAX_TEXT).nullish(),
  previous_response_id: text.max(256).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.unknown().optional(),
  store: z.boolean().nullish(),
  background: z.boolean().nullish(),
  include: z.array(text).nullish(),
  tools: z
    .array(z.looseObject({ type: text.max(64) }))
    .max(512)
    .nullish(),
  tool_choice: toolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  max_output_tokens: number.positive().nullish(),
  max_tool_calls: number.positive().nullish(),
  temperature: number.min(0).max(2).nullish(),
  top_p: number.min(0).max(1).nullish(),
  top_logprobs: z.literal(0, { error: 'log probabilities are not available' }).nullish(),
  prompt: z.null({ error: 'stored prompts are not available' }).optional(),
  conversation: z.union([text.max(256), z.looseObject({ id: text.max(256) })]).nullish(),
  text: z.looseObject({ format: format.nullish(), verbosity: text.max(32).nullish() }).nullish(),
  reasoning: z.looseObject({ effort: text.max(32).nullish(), summary: text.max(32).nullish() }).nullish(),
  truncation: z.enum(['auto', 'disabled']).nullish(),
  metadata: z
    .record(z.string().max(64), z.unknown())
    .refine(pairs => Object.keys(pairs).length <= 16, 'at most 16 pairs')
    .nullish(),
  service_tier: text.max(64).nullish(),
  user: text.max(512).nullish(),
  safety_identifier: text.max(512).nullish(),
  prompt_cache_key: text.max(512).nullish(),
  prompt_cache_retention: text.max(64).nullish(),
  prompt_cache_options: z.unknown().optional(),
  client_metadata: z.unknown().optional(),
})
export type ResponsesRequest = z.output<typeof ResponsesRequest>

/** An input item or a tool as it was sent. */
export type LooseItem = Readonly<Record<string, unknown>>

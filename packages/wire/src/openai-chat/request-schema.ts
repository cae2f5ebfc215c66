/** The body of a Chat Completions request: what is read of it. */
import { z } from 'zod'
import { ClientTools } from '../shared/client-tools.ts'
import { MAX_MESSAGES } from '../shared/count-limits.ts'
import { RequestMessage } from './message-schema.ts'

const named = z.object({ name: z.string().max(256) })
const toolChoice = z.union([
  z.enum(['auto', 'none', 'required']),
  z.object({ type: z.literal('function'), function: named }),
  z.object({
    type: z.literal('allowed_tools'),
    allowed_tools: z.object({
      mode: z.enum(['auto', 'required']),
      tools: z.array(z.object({ type: z.literal('function'), function: named })),
    }),
  }),
])

const tool = z.looseObject({
  type: z.literal('function', { error: 'only tools of type function are supported' }),
})
const number = z.number()

export const ChatRequest = z.object({
  model: z.string().min(1).max(256).optional(),
  messages: z.array(RequestMessage).min(1).max(MAX_MESSAGES),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  tools: z
    .array(tool)
    .transform((list): unknown => list)
    .pipe(ClientTools)
    .nullish(),
  tool_choice: toolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  functions: ClientTools.nullish(),
  function_call: z.union([z.enum(['auto', 'none']), named]).nullish(),
  max_tokens: number.positive().nullish(),
  max_completion_tokens: number.positive().nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  temperature: number.min(0).max(2).nullish(),
  top_p: number.min(0).max(1).nullish(),
  n: z.literal(1, { error: 'only one choice can be asked for' }).nullish(),
  logprobs: z.literal(false, { error: 'log probabilities are not available' }).nullish(),
  modalities: z.array(z.literal('text', { error: 'only text can be asked for' })).nullish(),
  response_format: z.looseObject({ type: z.enum(['text', 'json_object', 'json_schema']) }).nullish(),
  reasoning_effort: z.string().max(32).nullish(),
  presence_penalty: number.nullish(),
  frequency_penalty: number.nullish(),
  logit_bias: z.record(z.string(), number).nullish(),
  seed: number.nullish(),
  prediction: z.unknown().optional(),
  audio: z.unknown().optional(),
  service_tier: z.string().nullish(),
  verbosity: z.string().nullish(),
  web_search_options: z.looseObject({}).nullish(),
  user: z.string().max(512).nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
})
export type ChatRequest = z.output<typeof ChatRequest>

/** The part of a Responses request that the log keeps, so that its response can be written again at any time. Pure. */
import type { Warning } from '../gateway/warning.ts'
import type { ResponsesRequest } from './request-schema.ts'
import type { ClientToolset, ToolForm } from './tools.ts'
import { isItem } from './tools.ts'

/** The option `responses` of a run. */
export interface ResponseRecord {
  readonly echo: Readonly<Record<string, unknown>>
  readonly forms: Readonly<Record<string, ToolForm>>
  readonly store: boolean
  /** Changes that were made to the request. */
  readonly warnings: readonly Warning[]
  /** The client shows no refusals, so that it gets them as text. */
  readonly plain_refusals?: boolean
  /** The text of the answer is a summary, which the client gets as one sealed item. */
  readonly compacts?: boolean
}

const DEFAULTS = {
  instructions: null,
  previous_response_id: null,
  tools: [],
  tool_choice: 'auto',
  parallel_tool_calls: true,
  text: { format: { type: 'text' } },
  reasoning: { effort: null, summary: null },
  truncation: 'disabled',
  temperature: 1,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  top_logprobs: 0,
  max_output_tokens: null,
  max_tool_calls: null,
  store: true,
  background: false,
  service_tier: 'auto',
  metadata: {},
  safety_identifier: null,
  prompt_cache_key: null,
  user: null,
} as const

const NOTHING: ResponseRecord = { forms: {}, store: true, echo: DEFAULTS, warnings: [] }

export function toRecord(
  request: ResponsesRequest,
  { forms }: Pick<ClientToolset, 'forms'>,
  more: Pick<ResponseRecord, 'warnings' | 'plain_refusals' | 'compacts'>,
): ResponseRecord {
  const sent = Object.entries(request).filter(
    ([name, value]) => Object.hasOwn(DEFAULTS, name) && value !== undefined && value !== null,
  )
  const echo = {
    ...DEFAULTS,
    ...Object.fromEntries(sent),
    text: { ...request.text, format: request.text?.format ?? DEFAULTS.text.format },
    reasoning: { ...DEFAULTS.reasoning, ...request.reasoning },
    tools: (request.tools ?? []).map(tool =>
      tool.type === 'function' ? { description: null, parameters: null, strict: false, ...tool } : tool,
    ),
    ...toConversation(request.conversation),
  }
  return { forms, store: request.store ?? true, echo, ...more }
}

const toConversation = (sent: ResponsesRequest['conversation']) =>
  sent === undefined || sent === null
    ? {}
    : { conversation: typeof sent === 'string' ? { id: sent } : { id: sent.id } }

/** Runs of other wires have no record; they are shown with the defaults. */
export function readRecord(options: Readonly<Record<string, unknown>> | undefined): ResponseRecord {
  const found = options?.['responses']
  if (!isItem(found) || !isItem(found['echo']) || !isItem(found['forms'])) return NOTHING
  return found as unknown as ResponseRecord
}

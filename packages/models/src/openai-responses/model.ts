/** The model port over the Responses API, for OpenAI and for servers that imitate it. */
import type { Model, ModelPart, Warning } from '@toolwire/core'
import { asString, isObject, parseBoundedJson } from '@toolwire/core'
import {
  createOpenAiApiModel,
  type ExchangeContext,
  type OpenAiApiOptions,
} from '../shared/openai-api-model.ts'
import type { ProviderResponse } from '../shared/provider-response.ts'
import type { Price } from '../shared/usage.ts'
import { isUndecryptable } from './errors.ts'
import { type ResponsesRequest, toResponsesRequest, withoutReasoning } from './request.ts'
import { endResponse, responsesStream } from './stream.ts'
import type { Origin } from './stream-items.ts'

export interface OpenAiResponsesOptions extends OpenAiApiOptions {
  /** Names the key whose encrypted reasoning may go back, where a provider has several. */
  readonly keyMark?: string
}

/** The provider of the built-in entry, as the log names it. */
export const RESPONSES_PROVIDER = 'openai:openai-responses'

/** Holds nothing between requests; safe to share and to use concurrently. */
export function createOpenAiResponsesModel(options: OpenAiResponsesOptions): Model {
  const { provider = RESPONSES_PROVIDER, keyMark, model } = options
  const origin: Origin = { provider: keyMark === undefined ? provider : `${provider}#${keyMark}`, model }
  return createOpenAiApiModel(options, {
    path: '/responses',
    provider,
    protocol: responsesStream(origin),
    toRequest: (request, rules) =>
      toResponsesRequest(request, { ...rules, provider, reasoningOf: origin.provider }),
    exchange,
    readWhole: body => readWhole(body, origin),
    priceOf,
  })
}

const DROPPED: Warning = {
  code: 'thinking_dropped',
  message: 'The provider could not decrypt earlier reasoning; the request was sent without it.',
}

const MAX_REFUSAL = 1_000_000

/** Sends the request, and once more without reasoning when the provider cannot decrypt it. */
async function exchange(
  { body }: ResponsesRequest,
  send: (body: object, signal: AbortSignal) => Promise<ProviderResponse>,
  { signal, extra }: ExchangeContext,
): Promise<ProviderResponse> {
  const answer = await send(body, signal)
  if (answer.status !== 400) return answer
  const text = await answer.text(MAX_REFUSAL)
  if (!isUndecryptable(answer.status, text)) return { ...answer, text: async () => text }
  extra.splice(0, extra.length, DROPPED)
  return await send(withoutReasoning(body), signal)
}

/** Some servers ignore `stream` and return the whole response. */
function readWhole(body: string, origin: Origin): readonly ModelPart[] | undefined {
  const response = parseBoundedJson(body)
  if (!isObject(response) || typeof response['status'] !== 'string') return undefined
  if (!Array.isArray(response['output']) && !isObject(response['error'])) return undefined
  return endResponse(responsesStream(origin).initial, response, origin)[1]
}

/** The table holds the standard tier: what another tier costs is unknown, which is not the standard price. */
function priceOf(price: Price | undefined, details: unknown): Price | undefined {
  const tier = isObject(details) ? asString(details['service_tier']) : undefined
  return tier === undefined ? price : price?.tiers?.[tier]
}

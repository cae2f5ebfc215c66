/** The model port over the Responses API, for OpenAI and for servers that imitate it. */
import type { LookupFunction } from 'node:net'
import type { Model, ModelPart, Warning } from '@toolwire/core'
import { findCapability } from '../capabilities.ts'
import { estimateTokens } from '../shared/estimate-tokens.ts'
import { toFailure, withoutSecret } from '../shared/failure.ts'
import { finishPart } from '../shared/finish-part.ts'
import { asString, isObject, parseBoundedJson } from '../shared/json.ts'
import { toHttpFailure } from '../shared/openai-errors.ts'
import { post } from '../shared/post.ts'
import type { ProviderResponse } from '../shared/provider-response.ts'
import { refusedChange } from '../shared/refuse-changes.ts'
import { toRequestBody } from '../shared/request-body.ts'
import { type PatienceOptions, toRetryPolicy } from '../shared/retry-policy.ts'
import { failedStream, streamUpstream } from '../shared/upstream.ts'
import type { Price } from '../shared/usage.ts'
import { createUsageMeter } from '../shared/usage-so-far.ts'
import { isUndecryptable } from './errors.ts'
import { type ResponsesRequest, toResponsesRequest, withoutReasoning } from './request.ts'
import type { ResponsesBody } from './schema.ts'
import { endResponse, responsesStream } from './stream.ts'
import type { Origin } from './stream-items.ts'

export interface OpenAiResponsesOptions extends PatienceOptions {
  readonly model: string
  /** Local servers need none. */
  readonly apiKey?: string
  /** With its version, as the vendor's client takes it. */
  readonly baseUrl?: string
  readonly headers?: Readonly<Record<string, string>>
  /** The provider as the log names it. */
  readonly provider?: string
  readonly fetch?: typeof globalThis.fetch
  /** For an address that must be watched: see `Post`. */
  readonly lookup?: LookupFunction | undefined
}

const BASE_URL = 'https://api.openai.com/v1'
/** The capability table lists the vendor's models under this name. */
const VENDOR = 'openai'
export const RESPONSES_PROVIDER = 'openai:openai-responses'
/** Reasoning models may be silent for minutes; the service sends no pings. */
const SILENCE = { bytesMs: 280_000, contentMs: 300_000 }

/** Holds nothing between requests; safe to share and to use concurrently. */
export function createOpenAiResponsesModel(options: OpenAiResponsesOptions): Model {
  const base = (options.baseUrl ?? BASE_URL).replace(/\/+$/, '')
  const isOfficial = new URL(base).hostname.endsWith('api.openai.com')
  const capability = findCapability(VENDOR, options.model)
  const retryPolicy = toRetryPolicy(options, SILENCE)
  const origin: Origin = { provider: options.provider ?? RESPONSES_PROVIDER, model: options.model }
  const protocol = responsesStream(origin)
  const price = isOfficial ? capability?.price : undefined
  return {
    provider: origin.provider,
    id: options.model,
    ...(isOfficial && capability?.context !== undefined ? { context: capability.context } : {}),
    stream(request, signal) {
      const sent = toResponsesRequest(
        { ...request, model: options.model },
        { capability, isOfficial, provider: origin.provider },
      )
      const refusal =
        sent.body.input.length > 0
          ? refusedChange(request, sent.warnings)
          : 'There is nothing to answer: the history holds no message.'
      if (refusal !== undefined)
        return failedStream(toFailure('bad_request', refusal, { provider: origin.provider }))
      const meter = createUsageMeter(request)
      const extra: Warning[] = []
      return streamUpstream(
        {
          provider: origin.provider,
          protocol,
          send: inner => send(`${base}/responses`, options, sent, { signal: inner, extra }),
          toFailure: (response, body) =>
            withoutSecret(
              toHttpFailure(response.status, body, {
                names: request.tools.map(tool => tool.name),
                nameOf: sent.names.fromWire,
              }),
              options.apiKey,
            ),
          readWhole: body => readWhole(body, origin),
          finish: (part, response) =>
            finishPart(meter(part), response, {
              provider: origin.provider,
              warnings: [...sent.warnings, ...extra],
              toolName: sent.names.fromWire,
              price: details => priceOf(price, details),
              secret: options.apiKey,
            }),
        },
        retryPolicy,
        signal,
      )
    },
    countTokens: async request => estimateTokens(request),
  }
}

interface SendContext {
  readonly signal: AbortSignal
  /** Warnings that only the exchange itself brings. */
  readonly extra: Warning[]
}

const DROPPED: Warning = {
  code: 'thinking_dropped',
  message: 'The provider could not decrypt earlier reasoning; the request was sent without it.',
}

/** Sends the request, and once more without reasoning when the provider cannot decrypt it. */
async function send(
  url: string,
  options: OpenAiResponsesOptions,
  { body }: ResponsesRequest,
  { signal, extra }: SendContext,
): Promise<ProviderResponse> {
  const answer = await sendBody(url, options, body, signal)
  if (answer.status !== 400) return answer
  const text = await answer.text(MAX_REFUSAL)
  if (!isUndecryptable(answer.status, text)) return { ...answer, text: async () => text }
  extra.splice(0, extra.length, DROPPED)
  return await sendBody(url, options, withoutReasoning(body), signal)
}

const MAX_REFUSAL = 1_000_000

function sendBody(
  url: string,
  options: OpenAiResponsesOptions,
  body: ResponsesBody,
  signal: AbortSignal,
): Promise<ProviderResponse> {
  const headers = {
    'content-type': 'application/json',
    accept: 'text/event-stream',
    ...(options.apiKey ? { authorization: `Bearer ${options.apiKey}` } : {}),
    ...options.headers,
  }
  const { fetch, lookup } = options
  return post({ url, headers, body: toRequestBody(body, JSON.stringify), signal, lookup }, fetch)
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

/** The model port over one of OpenAI's two APIs: everything that both have in common. */
import type { Model, ModelPart, ModelRequest, Warning } from '@toolwire/core'
import { findCapability } from '../capabilities.ts'
import type { StreamProtocol } from './attempt.ts'
import { createEndpoint, type Endpoint, type EndpointOptions } from './endpoint.ts'
import { estimateTokens } from './estimate-tokens.ts'
import { toFailure } from './failure.ts'
import { finishPart } from './finish-part.ts'
import type { NameMap } from './legal-names.ts'
import type { ModelKnowledge } from './model-knowledge.ts'
import { isOfficialHost } from './official-host.ts'
import { toHttpFailure } from './openai-errors.ts'
import type { ProviderResponse } from './provider-response.ts'
import { refusedChange } from './refuse-changes.ts'
import { toRequestBody } from './request-body.ts'
import { type PatienceOptions, toRetryPolicy } from './retry-policy.ts'
import { failedStream, streamUpstream } from './upstream.ts'
import type { Price } from './usage.ts'
import { createUsageMeter } from './usage-so-far.ts'

/** `baseUrl` comes with its version, as the vendor's client takes it: `http://localhost:11434/v1`. */
export interface OpenAiApiOptions extends PatienceOptions, EndpointOptions {
  readonly model: string
  /** The provider as the log names it. */
  readonly provider?: string
  /** In place of the capability table. */
  readonly knowledge?: ModelKnowledge | undefined
}

/** A request in the form of one of the APIs. */
interface ApiRequest {
  readonly body: object
  readonly names: NameMap
  readonly warnings: readonly Warning[]
  /** The history holds nothing to answer. */
  readonly isEmpty: boolean
}

/** Facts that decide how a request is written. */
interface ApiRules extends ModelKnowledge {
  readonly isOfficial: boolean
}

export interface ExchangeContext {
  readonly signal: AbortSignal
  /** Warnings that only the exchange itself brings. */
  readonly extra: Warning[]
}

export interface OpenAiApiBinding<S, R extends ApiRequest> {
  readonly path: string
  readonly provider: string
  readonly protocol: StreamProtocol<S>
  readonly toRequest: (request: ModelRequest, rules: ApiRules) => R
  /** Sends the request, and repairs what only the exchange shows. Sends it plainly when absent. */
  readonly exchange?: (
    sent: R,
    send: (body: object, signal: AbortSignal) => Promise<ProviderResponse>,
    context: ExchangeContext,
  ) => Promise<ProviderResponse>
  /** Some servers ignore `stream` and return the whole response. */
  readonly readWhole: (body: string) => readonly ModelPart[] | undefined
  /** The price that applies, by what the provider reports at the end. */
  readonly priceOf: (price: Price | undefined, details: unknown) => Price | undefined
}

const VENDOR = { baseUrl: 'https://api.openai.com/v1', auth: 'bearer' } as const
/** Reasoning models may be silent for minutes, and local ones read long prompts without a ping. */
const SILENCE = { bytesMs: 280_000, contentMs: 300_000 }

/** Holds nothing between requests; safe to share and to use concurrently. */
export function createOpenAiApiModel<S, R extends ApiRequest>(
  options: OpenAiApiOptions,
  api: OpenAiApiBinding<S, R>,
): Model {
  const endpoint = createEndpoint(options, VENDOR)
  const isOfficial = isOfficialHost(endpoint.base)
  const rules = { ...(options.knowledge ?? tableKnowledge(options.model, isOfficial)), isOfficial }
  const retryPolicy = toRetryPolicy(options, SILENCE)
  const { provider } = api
  const send = (body: object, signal: AbortSignal): Promise<ProviderResponse> =>
    post(endpoint, api.path, body, signal)
  return {
    provider,
    id: options.model,
    isPriced: rules.price !== undefined,
    ...(rules.context === undefined ? {} : { context: rules.context }),
    stream(request, signal) {
      const sent = api.toRequest({ ...request, model: options.model }, rules)
      const refusal = sent.isEmpty ? NOTHING_TO_ANSWER : refusedChange(request, sent.warnings)
      if (refusal !== undefined) return failedStream(toFailure('bad_request', refusal, { provider }))
      const meter = createUsageMeter(request)
      const extra: Warning[] = []
      const names = { names: request.tools.map(tool => tool.name), nameOf: sent.names.fromWire }
      return streamUpstream(
        {
          provider,
          protocol: api.protocol,
          send: inner => api.exchange?.(sent, send, { signal: inner, extra }) ?? send(sent.body, inner),
          toFailure: (response, body) => endpoint.conceal(toHttpFailure(response.status, body, names)),
          readWhole: api.readWhole,
          finish: (part, response) =>
            finishPart(meter(part), response, {
              provider,
              warnings: [...sent.warnings, ...extra],
              toolName: sent.names.fromWire,
              price: details => api.priceOf(rules.price, details),
              conceal: endpoint.conceal,
            }),
        },
        retryPolicy,
        signal,
      )
    },
    countTokens: async request => estimateTokens(request),
  }
}

const NOTHING_TO_ANSWER = 'There is nothing to answer: the history holds no message.'

/** A window and a price belong to their vendor; another server with a model of that name sets its own. */
function tableKnowledge(model: string, isOfficial: boolean): ModelKnowledge {
  const capability = findCapability('openai', model)
  return isOfficial ? { capability, context: capability?.context, price: capability?.price } : { capability }
}

async function post(
  endpoint: Endpoint,
  path: string,
  body: object,
  signal: AbortSignal,
): Promise<ProviderResponse> {
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream' }
  return await endpoint.send({ path, headers, body: await toRequestBody(body, JSON.stringify), signal })
}

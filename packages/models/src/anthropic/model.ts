/**
 * The model port over the Messages API. Reads the stream itself (node:http and an event
 * parser) instead of through the vendor's client: pings are visible to the watchdog, argument
 * text stays raw, retries know what was passed on, and the whole port, parts included, costs no more CPU per delta
 * than that client's bare event stream (bench/model-reader.bench.ts).
 */
import {
  type Failure,
  type HostedSearch,
  isObject,
  type JsonObject,
  type Model,
  type ModelRequest,
  writeJson,
} from '@toolwire/core'
import { findCapability } from '../capabilities.ts'
import { createEndpoint, type Endpoint, type EndpointOptions } from '../shared/endpoint.ts'
import { toFailure } from '../shared/failure.ts'
import { finishPart } from '../shared/finish-part.ts'
import type { ModelKnowledge } from '../shared/model-knowledge.ts'
import type { ProviderResponse } from '../shared/provider-response.ts'
import { providerSearch, searchWarnings } from '../shared/provider-search.ts'
import { refusedChange } from '../shared/refuse-changes.ts'
import { toRequestBody } from '../shared/request-body.ts'
import { type PatienceOptions, toRetryPolicy } from '../shared/retry-policy.ts'
import { failedStream, streamUpstream } from '../shared/upstream.ts'
import { createUsageMeter } from '../shared/usage-so-far.ts'
import { readCount, toCountBody } from './count-tokens.ts'
import { toHttpFailure } from './errors.ts'
import { unwrapJsonAnswer } from './json-answer.ts'
import { type AnthropicRequest, PROVIDER, toAnthropicRequest } from './request.ts'
import { anthropicStream } from './stream.ts'

/** `baseUrl` comes without `/v1`. */
export interface AnthropicOptions extends PatienceOptions, EndpointOptions {
  /** The provider's id of the model, e.g. `claude-sonnet-5`. */
  readonly model: string
  /** The provider as the log names it. */
  readonly provider?: string
  /** In place of the capability table. */
  readonly knowledge?: ModelKnowledge | undefined
  /** Tools that the provider runs itself, for requests that name none (`options.provider_tools`). */
  readonly providerTools?: readonly JsonObject[]
}

const VENDOR = { baseUrl: 'https://api.anthropic.com', auth: 'x-api-key' } as const
const HEADERS = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }
const SILENCE = { bytesMs: 90_000, contentMs: 300_000 }

/** Holds nothing between requests; safe to share and to use concurrently. */
export function createAnthropicModel(options: AnthropicOptions): Model {
  const { provider = PROVIDER } = options
  const endpoint = createEndpoint(options, VENDOR)
  const { capability, context, price, webSearch } = options.knowledge ?? tableKnowledge(options.model)
  const patience = toRetryPolicy(options, SILENCE)
  const toRequest = (request: ModelRequest): AnthropicRequest =>
    toAnthropicRequest(withSearch(equipped(request, options), webSearch), capability, provider)
  const toError = (status: number, body: string, asked: AnthropicRequest): Failure =>
    endpoint.conceal(toHttpFailure(status, body, toolNames(asked)))
  return {
    provider,
    id: options.model,
    isPriced: price !== undefined,
    ...(context === undefined ? {} : { context }),
    stream(request, signal) {
      const asked = toRequest(request)
      const refusal = asked.refusal ?? refusedChange(request, asked.warnings)
      if (refusal !== undefined) return failedStream(toFailure('bad_request', refusal, { provider }))
      const meter = createUsageMeter(request)
      const parts = streamUpstream(
        {
          provider,
          protocol: anthropicStream,
          send: inner => ask(endpoint, asked, request, inner),
          toFailure: (response, body) => toError(response.status, body, asked),
          finish: (part, response) =>
            finishPart(meter(part), response, {
              provider,
              warnings: [...asked.warnings, ...searchWarnings(request, webSearch)],
              toolName: asked.names.fromWire,
              price: () => price,
              conceal: endpoint.conceal,
            }),
        },
        patience,
        signal,
      )
      return asked.answer_tool ? unwrapJsonAnswer(parts, asked.answer_tool) : parts
    },
    async countTokens(request, signal) {
      const asked = toRequest(request)
      const body = await toRequestBody(toCountBody(asked), writeJson)
      const response = await endpoint.send({
        path: '/v1/messages/count_tokens',
        headers: HEADERS,
        body,
        signal,
      })
      return await readCount(response, text => toError(response.status, text, asked))
    },
  }
}

function tableKnowledge(model: string): ModelKnowledge {
  const capability = findCapability(PROVIDER, model)
  return { capability, context: capability?.context, price: capability?.price }
}

/**
 * A request may name other tools, or none by an empty list; a client tool takes precedence over a provider tool of
 * the same name.
 */
function equipped(request: ModelRequest, { model, providerTools = [] }: AnthropicOptions): ModelRequest {
  if (providerTools.length === 0) return { ...request, model }
  const taken = new Set(request.tools.map(tool => tool.name))
  const standard = providerTools.filter(tool => !taken.has(String(tool['name'])))
  return { ...request, model, options: { provider_tools: standard, ...request.options } }
}

/** With the search that the client asked for, as this API defines it. */
function withSearch(request: ModelRequest, canSearch: boolean | undefined): ModelRequest {
  const search = providerSearch(request, { canSearch, api: PROVIDER }, toSearchTool)
  if (!search) return request
  const others = request.options?.['provider_tools']
  const provider_tools = [...(Array.isArray(others) ? others.filter(isObject) : []), search]
  return { ...request, options: { ...request.options, provider_tools } }
}

/** The API takes one of the two filters. */
function toSearchTool({ allowed_domains = [], blocked_domains = [], ...limits }: HostedSearch): JsonObject {
  const { max_uses, user_location } = limits
  const blocked = blocked_domains.length > 0 ? { blocked_domains } : {}
  return {
    type: 'web_search_20250305',
    name: 'web_search',
    ...(max_uses === undefined ? {} : { max_uses }),
    ...(allowed_domains.length > 0 ? { allowed_domains } : blocked),
    ...(user_location === undefined ? {} : { user_location }),
  }
}

async function ask(
  endpoint: Endpoint,
  asked: AnthropicRequest,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<ProviderResponse> {
  const betas = request.options?.['betas']
  const headers = {
    ...HEADERS,
    accept: 'text/event-stream',
    ...(Array.isArray(betas) && betas.length > 0 ? { 'anthropic-beta': betas.join(',') } : {}),
  }
  const body = await toRequestBody(asked.body, writeJson)
  return await endpoint.send({ path: '/v1/messages', headers, body, signal })
}

const toolNames = (asked: AnthropicRequest): readonly string[] =>
  (asked.body.tools ?? []).map(tool =>
    isObject(tool) && typeof tool['name'] === 'string' ? asked.names.fromWire(tool['name']) : '',
  )

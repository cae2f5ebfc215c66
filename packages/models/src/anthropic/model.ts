/**
 * The model port over the Messages API. Reads the stream itself (node:http and an event
 * parser) instead of through the vendor's client: pings are visible to the watchdog, argument
 * text stays raw, retries know what was passed on, and the whole port, parts included, costs no more CPU per delta
 * than that client's bare event stream (bench/model-reader.bench.ts).
 */
import type { LookupFunction } from 'node:net'
import { type Model, type ModelRequest, writeJson } from '@toolwire/core'
import { findCapability } from '../capabilities.ts'
import { toFailure, withoutSecret } from '../shared/failure.ts'
import { finishPart } from '../shared/finish-part.ts'
import { isObject, type JsonObject } from '../shared/json.ts'
import { post } from '../shared/post.ts'
import type { ProviderResponse } from '../shared/provider-response.ts'
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

export interface AnthropicOptions extends PatienceOptions {
  /** The provider's id of the model, e.g. `claude-sonnet-5`. */
  readonly model: string
  readonly apiKey: string
  /** Without `/v1`; a trailing slash is fine. */
  readonly baseUrl?: string
  /** Tools that the provider runs itself, for requests that name none (`options.provider_tools`). */
  readonly providerTools?: readonly JsonObject[]
  /** Sent with every request, after our own. */
  readonly headers?: Readonly<Record<string, string>>
  /** In place of a connection of our own. */
  readonly fetch?: typeof globalThis.fetch
  /** For an address that must be watched: see `Post`. */
  readonly lookup?: LookupFunction | undefined
}

const BASE_URL = 'https://api.anthropic.com'
const VERSION = '2023-06-01'
const SILENCE = { bytesMs: 90_000, contentMs: 300_000 }

/** Holds nothing between requests; safe to share and to use concurrently. */
export function createAnthropicModel(options: AnthropicOptions): Model {
  const capability = findCapability(PROVIDER, options.model)
  const patience = toRetryPolicy(options, SILENCE)
  return {
    provider: PROVIDER,
    id: options.model,
    ...(capability?.context === undefined ? {} : { context: capability.context }),
    stream(request, signal) {
      const asked = toAnthropicRequest(equipped(request, options), capability)
      const refusal = asked.refusal ?? refusedChange(request, asked.warnings)
      if (refusal !== undefined)
        return failedStream(toFailure('bad_request', refusal, { provider: PROVIDER }))
      const meter = createUsageMeter(request)
      const parts = streamUpstream(
        {
          provider: PROVIDER,
          protocol: anthropicStream,
          send: inner => ask(options, asked, request, inner),
          toFailure: (response, body) =>
            withoutSecret(toHttpFailure(response.status, body, toolNames(asked)), options.apiKey),
          finish: (part, response) =>
            finishPart(meter(part), response, {
              provider: PROVIDER,
              warnings: asked.warnings,
              toolName: asked.names.fromWire,
              price: () => capability?.price,
              secret: options.apiKey,
            }),
        },
        patience,
        signal,
      )
      return asked.answer_tool ? unwrapJsonAnswer(parts, asked.answer_tool) : parts
    },
    async countTokens(request, signal) {
      const asked = toAnthropicRequest(equipped(request, options), capability)
      const response = await send(options, '/v1/messages/count_tokens', toCountBody(asked), signal)
      return await readCount(response, body =>
        withoutSecret(toHttpFailure(response.status, body, toolNames(asked)), options.apiKey),
      )
    },
  }
}

/** A request may name others, or none by an empty list; a tool of its own keeps its name to itself. */
function equipped(request: ModelRequest, { model, providerTools = [] }: AnthropicOptions): ModelRequest {
  if (providerTools.length === 0) return { ...request, model }
  const taken = new Set(request.tools.map(tool => tool.name))
  const standard = providerTools.filter(tool => !taken.has(String(tool['name'])))
  return { ...request, model, options: { provider_tools: standard, ...request.options } }
}

function ask(
  options: AnthropicOptions,
  asked: AnthropicRequest,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<ProviderResponse> {
  const betas = request.options?.['betas']
  const headers = {
    accept: 'text/event-stream',
    ...(Array.isArray(betas) && betas.length > 0 ? { 'anthropic-beta': betas.join(',') } : {}),
  }
  return send({ ...options, headers: { ...headers, ...options.headers } }, '/v1/messages', asked.body, signal)
}

function send(
  options: AnthropicOptions,
  path: string,
  body: object,
  signal: AbortSignal,
): Promise<ProviderResponse> {
  const base = (options.baseUrl ?? BASE_URL).replace(/\/+$/, '')
  return post(
    {
      url: `${base}${path}`,
      headers: {
        'content-type': 'application/json',
        'x-api-key': options.apiKey,
        'anthropic-version': VERSION,
        ...options.headers,
      },
      body: toRequestBody(body, writeJson),
      signal,
      lookup: options.lookup,
    },
    options.fetch,
  )
}

const toolNames = (asked: AnthropicRequest): readonly string[] =>
  (asked.body.tools ?? []).map(tool =>
    isObject(tool) && typeof tool['name'] === 'string' ? asked.names.fromWire(tool['name']) : '',
  )

/** The model port over Chat Completions, for OpenAI and for every server that imitates it. */
import type { LookupFunction } from 'node:net'
import type { Model, ModelPart } from '@toolwire/core'
import { findCapability } from '../capabilities.ts'
import { estimateTokens } from '../shared/estimate-tokens.ts'
import { toFailure, withoutSecret } from '../shared/failure.ts'
import { finishPart } from '../shared/finish-part.ts'
import { isObject, parseBoundedJson } from '../shared/json.ts'
import { toHttpFailure } from '../shared/openai-errors.ts'
import { post } from '../shared/post.ts'
import type { ProviderResponse } from '../shared/provider-response.ts'
import { refusedChange } from '../shared/refuse-changes.ts'
import { toRequestBody } from '../shared/request-body.ts'
import { type PatienceOptions, toRetryPolicy } from '../shared/retry-policy.ts'
import { failedStream, streamUpstream } from '../shared/upstream.ts'
import { createUsageMeter } from '../shared/usage-so-far.ts'
import { type ChatRequest, PROVIDER, toChatRequest } from './request.ts'
import { chatStream, stepChunk } from './stream.ts'

export interface OpenAiChatOptions extends PatienceOptions {
  readonly model: string
  /** Local servers need none. */
  readonly apiKey?: string
  /** With its version, as the vendor's client takes it: `http://localhost:11434/v1`. */
  readonly baseUrl?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly fetch?: typeof globalThis.fetch
  /** For an address that must be watched: see `Post`. */
  readonly lookup?: LookupFunction | undefined
}

const BASE_URL = 'https://api.openai.com/v1'
/** Local models read long prompts in silence, without a ping. */
const SILENCE = { bytesMs: 280_000, contentMs: 300_000 }

/** Holds nothing between requests; safe to share and to use concurrently. */
export function createOpenAiChatModel(options: OpenAiChatOptions): Model {
  const base = (options.baseUrl ?? BASE_URL).replace(/\/+$/, '')
  const isOfficial = new URL(base).hostname.endsWith('api.openai.com')
  const capability = findCapability(PROVIDER, options.model)
  const patience = toRetryPolicy(options, SILENCE)
  return {
    provider: PROVIDER,
    id: options.model,
    // A window belongs to its vendor's model; another server sets its own.
    ...(isOfficial && capability?.context !== undefined ? { context: capability.context } : {}),
    stream(request, signal) {
      const asked = toChatRequest({ ...request, model: options.model }, { capability, isOfficial })
      const refusal = asked.body.messages.some(message => message.role !== 'system')
        ? refusedChange(request, asked.warnings)
        : 'There is nothing to answer: the history holds no message.'
      if (refusal !== undefined)
        return failedStream(toFailure('bad_request', refusal, { provider: PROVIDER }))
      const meter = createUsageMeter(request)
      return streamUpstream(
        {
          provider: PROVIDER,
          protocol: chatStream,
          send: inner => ask(`${base}/chat/completions`, options, asked, inner),
          toFailure: (response, body) =>
            withoutSecret(
              toHttpFailure(response.status, body, {
                names: request.tools.map(tool => tool.name),
                nameOf: asked.names.fromWire,
              }),
              options.apiKey,
            ),
          readWhole,
          // A price belongs to its vendor; another server with a model of that name has its own.
          finish: (part, response) =>
            finishPart(meter(part), response, {
              provider: PROVIDER,
              warnings: asked.warnings,
              toolName: asked.names.fromWire,
              price: () => (isOfficial ? capability?.price : undefined),
              secret: options.apiKey,
            }),
        },
        patience,
        signal,
      )
    },
    countTokens: async request => estimateTokens(request),
  }
}

function ask(
  url: string,
  options: OpenAiChatOptions,
  asked: ChatRequest,
  signal: AbortSignal,
): Promise<ProviderResponse> {
  const headers = {
    'content-type': 'application/json',
    accept: 'text/event-stream',
    ...(options.apiKey ? { authorization: `Bearer ${options.apiKey}` } : {}),
    ...options.headers,
  }
  const { fetch, lookup } = options
  return post({ url, headers, body: toRequestBody(asked.body, JSON.stringify), signal, lookup }, fetch)
}

/** Some servers ignore `stream` and answer with the whole completion. */
function readWhole(body: string): readonly ModelPart[] | undefined {
  const completion = parseBoundedJson(body)
  if (!isObject(completion) || !(Array.isArray(completion['choices']) || 'error' in completion))
    return undefined
  const [state, parts] = stepChunk(chatStream.initial, completion)
  return parts.some(part => part.type === 'error') ? parts : [...parts, ...chatStream.end(state)]
}

/**
 * Asks a provider which models it has: the smallest request that shows whether an address answers and a key is good.
 * Costs no tokens.
 */
import type { LookupFunction } from 'node:net'
import type { Failure } from '@toolwire/core'
import { asString, isObject, parseJson } from '@toolwire/core'
import { toHttpFailure as toMessagesFailure } from './anthropic/errors.ts'
import type { BuiltInProvider as Provider } from './providers/environment-providers.ts'
import { toFailure, withoutSecret } from './shared/failure.ts'
import { toHttpFailure as toChatFailure } from './shared/openai-errors.ts'
import { type Post, post } from './shared/post.ts'

export interface ProviderQuestion {
  readonly provider: Provider
  readonly apiKey?: string | undefined
  /** As the models of the provider take it; the vendor's own when absent. */
  readonly baseUrl?: string | undefined
  readonly lookup?: LookupFunction | undefined
}

export type ProviderAnswer =
  | { readonly ok: true; readonly models: readonly string[] }
  | { readonly ok: false; readonly error: Failure }

const MAX_LENGTH = 4_000_000
const MAX_MODELS = 500

/** Never rejects, and sends the key to the provider alone. An aborted query is a timeout. */
export async function probeProvider(
  question: ProviderQuestion,
  signal: AbortSignal,
): Promise<ProviderAnswer> {
  const { provider, apiKey } = question
  const fail = (failure: Failure): ProviderAnswer => ({
    ok: false,
    error: withoutSecret({ ...failure, provider }, apiKey),
  })
  try {
    const answer = await post({ ...toRequest(question), signal, lookup: question.lookup })
    const body = await answer.text(MAX_LENGTH)
    if (!answer.ok) return fail({ ...judge(provider, answer.status, body), http_status: answer.status })
    const models = readModels(body)
    return models
      ? { ok: true, models }
      : fail(toFailure('model_error', 'The address answers, but not with a list of models.'))
  } catch (error) {
    if (signal.aborted) return fail(toFailure('model_timeout', 'The provider did not answer in time.'))
    return fail(toFailure('model_unavailable', `The provider cannot be reached (${causeOf(error)}).`))
  }
}

function toRequest({ provider, apiKey, baseUrl }: ProviderQuestion): Pick<Post, 'url' | 'headers'> {
  const base = baseUrl?.replace(/\/+$/, '')
  if (provider === 'anthropic')
    return {
      url: `${base ?? 'https://api.anthropic.com'}/v1/models?limit=100`,
      headers: { accept: 'application/json', 'x-api-key': apiKey ?? '', 'anthropic-version': '2023-06-01' },
    }
  return {
    url: `${base ?? 'https://api.openai.com/v1'}/models`,
    headers: { accept: 'application/json', ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}) },
  }
}

const judge = (provider: Provider, status: number, body: string): Failure =>
  provider === 'anthropic'
    ? toMessagesFailure(status, body, [])
    : toChatFailure(status, body, { names: [], nameOf: name => name })

function readModels(body: string): readonly string[] | undefined {
  const parsed = parseJson(body)
  const data = isObject(parsed) ? parsed['data'] : undefined
  if (!Array.isArray(data)) return undefined
  const ids = data.map(entry => (isObject(entry) ? asString(entry['id']) : undefined))
  return ids
    .filter(id => id !== undefined && /^[\x21-\x7e]{1,200}$/.test(id))
    .slice(0, MAX_MODELS) as string[]
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}

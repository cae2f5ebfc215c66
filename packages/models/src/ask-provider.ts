/**
 * Asks a provider which models it has: the smallest request that shows whether an address answers and a key is good.
 * Costs no tokens.
 */
import { asCount, asString, type Failure, isObject, type JsonObject, parseJson } from '@toolwire/core'
import { toHttpFailure as toMessagesFailure } from './anthropic/errors.ts'
import type { DiscoveredFacts } from './providers/know-model.ts'
import type { ProviderApi } from './providers/provider-entry.ts'
import { createEndpoint, type Endpoint, type EndpointOptions } from './shared/endpoint.ts'
import { toFailure } from './shared/failure.ts'
import { toHttpFailure as toChatFailure } from './shared/openai-errors.ts'
import type { Price } from './shared/usage.ts'

export interface ProviderQuestion extends Omit<EndpointOptions, 'fetch'> {
  /** The provider's name, for failures. */
  readonly provider: string
  /** By the name when absent. */
  readonly api?: ProviderApi | undefined
}

export type ProviderAnswer =
  | {
      readonly ok: true
      readonly models: readonly string[]
      /** Reports beyond ids, by id; absent when there are no such reports. */
      readonly facts?: Readonly<Record<string, DiscoveredFacts>>
    }
  | { readonly ok: false; readonly error: Failure }

const MAX_LENGTH = 8_000_000
const MAX_MODELS = 2000
const MAX_PAGES = 10

/** Never rejects, and sends the key to the provider alone. A question that is aborted is a timeout. */
export async function probeProvider(
  question: ProviderQuestion,
  signal: AbortSignal,
): Promise<ProviderAnswer> {
  const { provider } = question
  const isMessages = (question.api ?? provider) === 'anthropic'
  const endpoint = createEndpoint(question, isMessages ? ANTHROPIC : OPENAI)
  const fail = (failure: Failure): ProviderAnswer => ({
    ok: false,
    error: endpoint.conceal({ ...failure, provider }),
  })
  try {
    const rows = await readRows(endpoint, isMessages, signal)
    return 'code' in rows ? fail(rows) : toAnswer(rows)
  } catch (error) {
    if (signal.aborted) return fail(toFailure('model_timeout', 'The provider did not answer in time.'))
    return fail(toFailure('model_unavailable', `The provider cannot be reached (${causeOf(error)}).`))
  }
}

/** All rows of the list, page by page, or the reason why it cannot be read. */
async function readRows(
  endpoint: Endpoint,
  isMessages: boolean,
  signal: AbortSignal,
): Promise<readonly JsonObject[] | Failure> {
  const rows: JsonObject[] = []
  let path: string | undefined = isMessages ? '/v1/models?limit=100' : '/models'
  for (let page = 0; path !== undefined && page < MAX_PAGES && rows.length < MAX_MODELS; page++) {
    const answer = await endpoint.send({ path, headers: isMessages ? MESSAGES_HEADERS : HEADERS, signal })
    const body = await answer.text(MAX_LENGTH)
    if (!answer.ok) return { ...judge(isMessages, answer.status, body), http_status: answer.status }
    const parsed = parseJson(body)
    const data = isObject(parsed) ? parsed['data'] : undefined
    if (!isObject(parsed) || !Array.isArray(data))
      return toFailure('model_error', 'The address answers, but not with a list of models.')
    rows.push(...data.filter(isObject))
    path = isMessages ? nextPage(parsed) : undefined
  }
  return rows
}

const HEADERS = { accept: 'application/json' }
const MESSAGES_HEADERS = { ...HEADERS, 'anthropic-version': '2023-06-01' }
const ANTHROPIC = { baseUrl: 'https://api.anthropic.com', auth: 'x-api-key' } as const
const OPENAI = { baseUrl: 'https://api.openai.com/v1', auth: 'bearer' } as const

const judge = (isMessages: boolean, status: number, body: string): Failure =>
  isMessages
    ? toMessagesFailure(status, body, [])
    : toChatFailure(status, body, { names: [], nameOf: name => name })

/** Anthropic lists its models in pages. */
function nextPage({ has_more, last_id }: JsonObject): string | undefined {
  const last = asString(last_id)
  if (has_more !== true || last === undefined) return undefined
  return `/v1/models?limit=100&after_id=${encodeURIComponent(last)}`
}

function toAnswer(rows: readonly JsonObject[]): ProviderAnswer {
  const models = rows.flatMap(row => {
    // Google's address puts the kind of thing before each id.
    const id = asString(row['id'])?.replace(/^models\//, '')
    return id !== undefined && /^[\x21-\x7e]{1,200}$/.test(id) ? [{ id, facts: factsOf(row) }] : []
  })
  const first = models.slice(0, MAX_MODELS)
  const known = first.filter(({ facts }) => Object.keys(facts).length > 0)
  return {
    ok: true,
    models: [...new Set(first.map(({ id }) => id))],
    ...(known.length > 0 ? { facts: Object.fromEntries(known.map(({ id, facts }) => [id, facts])) } : {}),
  }
}

/** OpenRouter reports window, output and price; others report the window alone, or nothing. */
function factsOf(row: JsonObject): DiscoveredFacts {
  const top = isObject(row['top_provider']) ? row['top_provider'] : {}
  const context = asCount(row['context_length']) ?? asCount(row['max_model_len'])
  const max_output = asCount(top['max_completion_tokens'])
  const price = isObject(row['pricing']) ? toPrice(row['pricing']) : undefined
  return {
    ...(context ? { context } : {}),
    ...(max_output ? { max_output } : {}),
    ...(price === undefined ? {} : { price }),
  }
}

/** Prices are texts, in dollars per token. A price that depends on more than tokens counts as unknown. */
function toPrice(pricing: JsonObject): Price | undefined {
  const perMillion = (name: string): number | undefined => {
    const value = Number.parseFloat(asString(pricing[name]) ?? '')
    return value >= 0 && Number.isFinite(value) ? Number((value * 1_000_000).toPrecision(12)) : undefined
  }
  const input = perMillion('prompt')
  const output = perMillion('completion')
  const cache_read = perMillion('input_cache_read')
  const cache_write = perMillion('input_cache_write')
  if (input === undefined || output === undefined || (perMillion('request') ?? 0) > 0) return undefined
  return {
    input,
    output,
    ...(cache_read === undefined ? {} : { cache_read }),
    ...(cache_write === undefined ? {} : { cache_write }),
  }
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}

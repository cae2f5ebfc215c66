/** Web searches that a request asks for in the words of its vendor: who serves them, and with which limits. Pure but for the warnings. */
import { HOSTED_SEARCH, type HostedSearch, isObject, type JsonObject } from '@toolwire/core'
import type { Warnings } from './warning.ts'

/** The service that searches for a model: its provider, or a tool of this server. */
export type SearchService = { readonly by: 'provider' } | { readonly by: 'server'; readonly tool: string }

export interface SearchRequest {
  readonly service: SearchService | undefined
  /** The vendor's API of the request. */
  readonly api: string
  /** The field of the request, for warnings. */
  readonly at: string
  /** As the request has it, where `tool` is not. */
  readonly declared?: JsonObject
  /** Names of the tools that the client runs itself. */
  readonly taken: readonly string[]
}

/** Undefined, with a warning, where nothing serves it: some clients declare it in every request. */
export function toHostedSearch(
  tool: JsonObject,
  { service, api, at, taken, declared = tool }: SearchRequest,
  warnings: Warnings,
): HostedSearch | undefined {
  const search = { ...toLimits(tool), declared: { api, tool: declared } }
  if (service?.by === 'provider') return search
  // A search of pages that the vendor has stored.
  const isLive = tool['external_web_access'] !== false
  if (service && isLive && !taken.includes(service.tool)) return { ...search, tool: service.tool }
  warnings.add('tool_ignored', `${at}: no web search is available for this model; it is left out.`)
  return undefined
}

export const searchOption = (search: HostedSearch | undefined): JsonObject =>
  search ? { [HOSTED_SEARCH]: search } : {}

const MAX_DOMAINS = 50
const SIZES: ReadonlySet<unknown> = new Set(['low', 'medium', 'high'])

/** One vendor nests the filters, another does not. */
function toLimits(tool: JsonObject): HostedSearch {
  const filters = isObject(tool['filters']) ? tool['filters'] : tool
  const { max_uses, search_context_size: size, user_location } = tool
  return {
    allowed_domains: domainsOf(filters['allowed_domains']),
    blocked_domains: domainsOf(filters['blocked_domains']),
    ...(typeof max_uses === 'number' && max_uses >= 0 ? { max_uses } : {}),
    ...(SIZES.has(size) ? { context_size: size as NonNullable<HostedSearch['context_size']> } : {}),
    ...(isObject(user_location) ? { user_location } : {}),
  }
}

/** Hosts alone: a path below one cannot be a filter here. */
const domainsOf = (value: unknown): readonly string[] =>
  Array.isArray(value)
    ? value
        .filter(one => typeof one === 'string')
        .map(one => one.replace(/^https?:\/\//, '').split('/', 1)[0] ?? '')
        .filter(host => host !== '' && host.length <= 253)
        .slice(0, MAX_DOMAINS)
    : []

/** Web searches of a response, read from the log: those of the server for its client, and those of the provider. Pure. */
import { type EventOf, type HostedSearch, isObject, isSearchCall, readHostedSearch } from '@toolwire/core'
import type { ServedSearch } from './answer-part.ts'

export interface SearchState {
  readonly search: HostedSearch
  /** Queries of the searches in progress, by the ids of their calls. */
  readonly open: Readonly<Record<string, string>>
}

/** Undefined for a run whose client asked for no search. */
export function readSearchStart(
  options: Readonly<Record<string, unknown>> | undefined,
): SearchState | undefined {
  const search = readHostedSearch(options)
  return search && { search, open: {} }
}

/** The second value is the search that ends with this event. */
export function readSearchEnd(
  state: SearchState,
  ev: EventOf<'tool.ready' | 'tool.completed' | 'tool.failed'>,
): readonly [SearchState, ServedSearch | undefined] {
  const { call_id } = ev
  if (ev.type === 'tool.ready') {
    if (!isSearchCall(state.search, ev.name) || ev.executor !== 'server') return [state, undefined]
    return [{ ...state, open: { ...state.open, [call_id]: queryOf(ev.input) } }, undefined]
  }
  if (!Object.hasOwn(state.open, call_id)) return [state, undefined]
  const { [call_id]: query = '', ...open } = state.open
  const isFailed = ev.type === 'tool.failed' || ev.is_error
  const { results } = Object(ev.type === 'tool.completed' ? ev.structured : undefined) as {
    readonly results?: unknown
  }
  const error = ev.type === 'tool.failed' ? { error: ev.error.code } : {}
  return [
    { ...state, open },
    { call_id, query, sources: sourcesOf(results), isFailed, ...error },
  ]
}

/** A search that the provider ran, by the whole block in the log; undefined for any other block. */
export function readProviderSearch(
  data: unknown,
  queries: Readonly<Record<string, string>>,
): ServedSearch | undefined {
  if (!isObject(data)) return undefined
  const { type, id, tool_use_id, action, content, status } = data
  if (type === 'web_search_call' && typeof id === 'string') {
    const { query, sources, queries: list } = Object(action) as Record<string, unknown>
    const first: unknown = query ?? (Array.isArray(list) ? list[0] : undefined)
    const text = typeof first === 'string' ? first : ''
    return { call_id: id, query: text, sources: sourcesOf(sources), isFailed: status === 'failed' }
  }
  if (type !== 'web_search_tool_result' || typeof tool_use_id !== 'string') return undefined
  const query = Object.hasOwn(queries, tool_use_id) ? (queries[tool_use_id] ?? '') : ''
  const isFailed = !Array.isArray(content)
  return { call_id: tool_use_id, query, sources: sourcesOf(content), isFailed, isNative: true }
}

/** The query of a search that the provider has begun, in the blocks of the Messages API. */
export function readProviderQuery(data: unknown): Readonly<Record<string, string>> {
  if (!isObject(data) || data['type'] !== 'server_tool_use' || data['name'] !== 'web_search') return {}
  return typeof data['id'] === 'string' ? { [data['id']]: queryOf(data['input']) } : {}
}

const queryOf = (input: unknown): string => {
  const { query } = Object(input) as { readonly query?: unknown }
  return typeof query === 'string' ? query : ''
}

const MAX_SOURCES = 50

function sourcesOf(list: unknown): ServedSearch['sources'] {
  if (!Array.isArray(list)) return []
  return list.slice(0, MAX_SOURCES).flatMap((result: unknown) => {
    const { url, title } = Object(result) as { readonly url?: unknown; readonly title?: unknown }
    return typeof url === 'string' ? [{ url, title: typeof title === 'string' ? title : '' }] : []
  })
}

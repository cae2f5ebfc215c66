/** Web searches that the server runs because a client asked for a hosted one, read from the log. Pure. */
import type { EventOf } from '@toolwire/core'
import type { ServedSearch } from './answer-part.ts'

/** The option of a run that names the server's tool for it. */
export const HOSTED_SEARCH = 'hosted_search'

export interface SearchState {
  readonly tool: string
  /** Queries of the searches in progress, by the ids of their calls. */
  readonly open: Readonly<Record<string, string>>
}

/** Undefined for a run whose client asked for no search. */
export function readSearchStart(
  options: Readonly<Record<string, unknown>> | undefined,
): SearchState | undefined {
  const tool = Object(options?.[HOSTED_SEARCH]) as { readonly tool?: unknown }
  return typeof tool.tool === 'string' ? { tool: tool.tool, open: {} } : undefined
}

/** The second value is the search that ends with this event. */
export function readSearchEnd(
  state: SearchState,
  ev: EventOf<'tool.ready' | 'tool.completed' | 'tool.failed'>,
): readonly [SearchState, ServedSearch | undefined] {
  const { call_id } = ev
  if (ev.type === 'tool.ready') {
    if (ev.name !== state.tool || ev.executor !== 'server') return [state, undefined]
    const { query } = Object(ev.input) as { readonly query?: unknown }
    return [
      { ...state, open: { ...state.open, [call_id]: typeof query === 'string' ? query : '' } },
      undefined,
    ]
  }
  if (!Object.hasOwn(state.open, call_id)) return [state, undefined]
  const { [call_id]: query = '', ...open } = state.open
  const isFailed = ev.type === 'tool.failed' || ev.is_error
  const sources = ev.type === 'tool.completed' ? sourcesOf(ev.structured) : []
  return [
    { ...state, open },
    { call_id, query, sources, isFailed },
  ]
}

const MAX_SOURCES = 50

function sourcesOf(structured: unknown): ServedSearch['sources'] {
  const { results } = Object(structured) as { readonly results?: unknown }
  if (!Array.isArray(results)) return []
  return results.slice(0, MAX_SOURCES).flatMap((result: unknown) => {
    const { url, title } = Object(result) as { readonly url?: unknown; readonly title?: unknown }
    return typeof url === 'string' ? [{ url, title: typeof title === 'string' ? title : '' }] : []
  })
}

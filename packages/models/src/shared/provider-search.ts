/** The web search that a client asked for, where the model's provider runs it. Pure. */
import { type HostedSearch, type ModelRequest, readHostedSearch, type Warning } from '@toolwire/core'

/** Undefined where the server runs it, or the request asks for none. */
function searchOf(request: Pick<ModelRequest, 'options'>): HostedSearch | undefined {
  const search = readHostedSearch(request.options)
  return search?.tool === undefined ? search : undefined
}

/** As the request declared it for this API, else made from its limits. Undefined for a provider that has no search. */
export function providerSearch<T>(
  request: Pick<ModelRequest, 'options'>,
  { canSearch, api }: { readonly canSearch: boolean | undefined; readonly api: string },
  toTool: (search: HostedSearch) => T,
): T | Readonly<Record<string, unknown>> | undefined {
  const search = canSearch ? searchOf(request) : undefined
  if (!search) return undefined
  return search.declared?.api === api ? search.declared.tool : toTool(search)
}

const IGNORED: Warning = {
  code: 'tool_ignored',
  message: 'The provider of this model runs no web search; it is left out.',
}

/** A fallback model may not have what the first one has. */
export const searchWarnings = (
  request: Pick<ModelRequest, 'options'>,
  canSearch: boolean | undefined,
): readonly Warning[] => (!canSearch && searchOf(request) ? [IGNORED] : [])

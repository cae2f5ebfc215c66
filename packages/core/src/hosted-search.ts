/** A web search that a client asks for in the words of a vendor's API, as an option of its run. Pure. */

/** The option of a run that holds it. */
export const HOSTED_SEARCH = 'hosted_search'

export interface HostedSearch {
  /** The server's tool that searches; absent when the model's provider searches. */
  readonly tool?: string
  readonly allowed_domains?: readonly string[]
  readonly blocked_domains?: readonly string[]
  /** Searches of one response at most. */
  readonly max_uses?: number
  readonly context_size?: 'low' | 'medium' | 'high'
  readonly user_location?: Readonly<Record<string, unknown>>
  /** The tool as the request declared it, for a provider of the same API. */
  readonly declared?: { readonly api: string; readonly tool: Readonly<Record<string, unknown>> }
}

/** Undefined for a run whose client asked for no search. */
export function readHostedSearch(
  options: Readonly<Record<string, unknown>> | undefined,
): HostedSearch | undefined {
  const found = options?.[HOSTED_SEARCH]
  return typeof found === 'object' && found !== null ? (found as HostedSearch) : undefined
}

/** Names that models know such a tool by, whatever it is called here. */
const USUAL_NAMES = /^web_?search(_preview)?$/i

/** True if a call of this name is a search that the server runs for the client. */
export const isSearchCall = ({ tool }: HostedSearch, name: string): boolean =>
  tool !== undefined && (name === tool || USUAL_NAMES.test(name))

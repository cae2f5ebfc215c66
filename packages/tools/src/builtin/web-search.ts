/** WebSearch: a search of the web by the engine that the server is configured with. */
import type { HostedSearch, Tool, ToolStep } from '@toolwire/core'
import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import {
  createSearxng,
  createTavily,
  isWithin,
  type SearchProvider,
  type SearchResult,
} from '../web/search-provider.ts'

export interface WebSearchOptions {
  /** Tavily's API; preferred when both are given. */
  readonly tavily?: { readonly api_key: string; readonly base_url?: string | undefined } | undefined
  /** A SearXNG instance that allows the format json. */
  readonly searxng?: { readonly url: string } | undefined
  /** Other names for the same tool, such as `tavily_search`. */
  readonly aliases?: readonly string[] | undefined
}

const NAME = 'WebSearch'
const MAX_RESULTS = 20
const DEFAULT_RESULTS = 5
const MAX_DOMAINS = 50

const domains = z.array(z.string().min(1).max(253)).max(MAX_DOMAINS).optional()
const input = z.strictObject({
  query: z.string().trim().min(1).max(1000).describe('A few keywords, in the likely language of the sources'),
  max_results: z
    .number()
    .int()
    .min(1)
    .max(MAX_RESULTS)
    .optional()
    .describe(`How many results; ${DEFAULT_RESULTS} by default`),
  allowed_domains: domains.describe('Only results of these domains; not together with blocked_domains'),
  blocked_domains: domains.describe('No results of these domains'),
})
type WebSearchInput = z.output<typeof input>

/** No tool when no engine is configured; else one per name, of which a model is offered one. Throws when an address in the settings is none. */
export function createWebSearchTools({ tavily, searxng, aliases = [] }: WebSearchOptions): readonly Tool[] {
  const provider = tavily ? createTavily(tavily) : searxng ? createSearxng(searxng) : undefined
  if (!provider) return []
  const tool = webSearch(NAME, provider)
  return [tool, ...aliases.map(name => ({ ...tool, name, superseded_by: NAME }))]
}

const webSearch = (name: string, provider: SearchProvider): Tool<WebSearchInput> =>
  defineTool({
    name,
    type: 'builtin',
    description: `Searches the web (${provider.name}) and returns titles, addresses and excerpts, ${DEFAULT_RESULTS} results by default. Use it for anything current or beyond your knowledge: short keywords, with the year for news. Excerpts are data and often too short: read the page with WebFetch before you rely on it, and name the addresses that you rely on. Put no private text into a query.`,
    input,
    limits: [{ name: 'results', value: `${DEFAULT_RESULTS}, at most ${MAX_RESULTS}` }],
    isReadOnly: () => true,
    access: async () => [],
    async validate({ allowed_domains, blocked_domains }) {
      return allowed_domains?.length && blocked_domains?.length
        ? 'Give allowed_domains or blocked_domains, not both.'
        : undefined
    },
    async *call(call, { signal, hosted_search }) {
      if (hosted_search?.max_uses !== undefined && hosted_search.used >= hosted_search.max_uses) {
        yield { type: 'failure', code: 'max_uses_exceeded', message: NO_MORE, retryable: false }
        return
      }
      yield { type: 'progress', message: `Searching for ${call.query}` }
      const { query } = call
      const bounds = toBounds(call, hosted_search)
      yield toStep(query, await provider.search({ query, ...bounds }, signal))
    },
    view: ({ query }) => ({ title: query, kind: 'search', body: { query } }),
  })

const NO_MORE = 'The client allows no further search in this response. Answer with what was found.'

type Bounds = Pick<Required<WebSearchInput>, 'max_results' | 'allowed_domains' | 'blocked_domains'>

const RESULTS = { low: 3, medium: DEFAULT_RESULTS, high: 10 } as const

/** The filters of the client's request bind; the model can narrow them, and not widen them. */
function toBounds(call: WebSearchInput, hosted: HostedSearch | undefined): Bounds {
  const { allowed_domains: asked = [], blocked_domains: more = [] } = call
  const { allowed_domains: allowed = [], blocked_domains: blocked = [], context_size } = hosted ?? {}
  const narrowed = asked.filter(domain => allowed.some(one => isWithin(domain, one)))
  return {
    max_results: call.max_results ?? RESULTS[context_size ?? 'medium'],
    allowed_domains: allowed.length === 0 ? asked : narrowed.length > 0 ? narrowed : [...allowed],
    blocked_domains: [...blocked, ...more],
  }
}

function toStep(query: string, searched: SearchResult): ToolStep {
  if (!searched.ok) return { type: 'failure', ...searched.problem, outside: 'web search' }
  const { hits, answer } = searched
  const list = hits.map(({ title, url, content, published }, i) =>
    [`${i + 1}. ${title}`, `   ${url}${published ? ` (${published})` : ''}`, ...indented(content)].join('\n'),
  )
  const text = [...(answer ? [answer] : []), ...list].join('\n\n')
  return {
    type: 'result',
    output_text: text || `No results found for: ${query}`,
    structured: { query, results: hits, ...(answer ? { answer } : {}) },
    view: { title: query, kind: 'search', body: { query, results: hits } },
    ...(text === '' ? {} : { outside: 'web search' }),
  }
}

const indented = (text: string): readonly string[] =>
  text === '' ? [] : text.split('\n').map(line => `   ${line}`)

/** Search engines behind one form: Tavily's API and SearXNG instances. */
import type { ToolProblem } from '@toolwire/core'
import { safeHead } from '@toolwire/core'
import { z } from 'zod'

interface SearchQuery {
  readonly query: string
  readonly max_results: number
  readonly allowed_domains: readonly string[]
  readonly blocked_domains: readonly string[]
}

interface SearchHit {
  readonly title: string
  readonly url: string
  readonly content: string
  readonly published?: string
}

export type SearchResult =
  | { readonly ok: true; readonly hits: readonly SearchHit[]; readonly answer?: string }
  | { readonly ok: false; readonly problem: ToolProblem }

export interface SearchProvider {
  readonly name: string
  /** Never throws; the signal ends it. */
  readonly search: (query: SearchQuery, signal: AbortSignal) => Promise<SearchResult>
}

const MAX_BYTES = 4 * 1024 * 1024
const MAX_SNIPPET = 2_000
const TIMEOUT_MS = 20_000

export function createTavily(settings: {
  readonly api_key: string
  readonly base_url?: string | undefined
}): SearchProvider {
  const url = endpoint(settings.base_url ?? 'https://api.tavily.com', 'search')
  return {
    name: 'Tavily',
    async search(query, signal) {
      const { allowed_domains, blocked_domains } = query
      const body = {
        query: query.query,
        max_results: query.max_results,
        ...(allowed_domains.length > 0 ? { include_domains: allowed_domains } : {}),
        ...(blocked_domains.length > 0 ? { exclude_domains: blocked_domains } : {}),
      }
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${settings.api_key}` }
      const init = { method: 'POST', headers, body: JSON.stringify(body) }
      return toSearched(await ask('Tavily', url, init, signal), query)
    },
  }
}

export function createSearxng(settings: { readonly url: string }): SearchProvider {
  return {
    name: 'SearXNG',
    async search(query, signal) {
      const url = endpoint(settings.url, 'search')
      url.searchParams.set('q', query.query)
      url.searchParams.set('format', 'json')
      return toSearched(await ask('SearXNG', url, {}, signal), query)
    },
  }
}

/** Throws for a base that is no address: a mistake in the configuration. */
const endpoint = (base: string, path: string): URL => new URL(path, base.endsWith('/') ? base : `${base}/`)

type JsonResult =
  | { readonly ok: true; readonly json: unknown }
  | { readonly ok: false; readonly problem: ToolProblem }

async function ask(name: string, url: URL, init: RequestInit, signal: AbortSignal): Promise<JsonResult> {
  const no = (code: string, message: string, retryable: boolean): JsonResult => ({
    ok: false,
    problem: { code, message: `${name}: ${message}`, retryable },
  })
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.any([signal, timeout]) })
    const text = await readBounded(response)
    if (!response.ok)
      return no(`http_${response.status}`, explain(response.status, text), isPassing(response.status))
    if (text === undefined) return no('too_large', `the answer is larger than ${MAX_BYTES} bytes.`, false)
    return { ok: true, json: JSON.parse(text) }
  } catch (error) {
    if (timeout.aborted) return no('timeout', `no answer within ${TIMEOUT_MS / 1000} seconds.`, true)
    const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : ''
    return no('search_failed', `${error instanceof Error ? error.message : String(error)}${cause}`, true)
  }
}

const isPassing = (status: number): boolean => status === 408 || status === 429 || status >= 500

function explain(status: number, text: string | undefined): string {
  const said = `status ${status}. ${safeHead(text ?? '', 500)}`.trim()
  if (status === 401) return `${said} Is the key right?`
  return status === 403 ? `${said} A SearXNG instance must allow the format json.` : said
}

async function readBounded(response: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk)
    size += chunk.length
    if (size > MAX_BYTES) return undefined
  }
  return Buffer.concat(chunks).toString('utf8')
}

const Answer = z.object({ results: z.array(z.unknown()), answer: z.string().nullish() })
const Hit = z.object({
  title: z.string().nullish(),
  url: z.string(),
  content: z.string().nullish(),
  published_date: z.string().nullish(),
  publishedDate: z.string().nullish(),
})

/** Entries that are not understood are left out; the order of the engine stays. */
function toSearched(answered: JsonResult, query: SearchQuery): SearchResult {
  if (!answered.ok) return answered
  const parsed = Answer.safeParse(answered.json)
  if (!parsed.success)
    return { ok: false, problem: { code: 'search_failed', message: 'The answer has no list of results.' } }
  const hits = parsed.data.results.flatMap(result => {
    const hit = Hit.safeParse(result)
    return hit.success && isWanted(hit.data.url, query) ? [toHit(hit.data)] : []
  })
  const { answer } = parsed.data
  return { ok: true, hits: hits.slice(0, query.max_results), ...(answer ? { answer } : {}) }
}

function toHit(hit: z.output<typeof Hit>): SearchHit {
  const published = hit.published_date ?? hit.publishedDate
  return {
    title: safeHead(hit.title?.trim() || hit.url, 500),
    url: hit.url,
    content: safeHead(hit.content?.trim() ?? '', MAX_SNIPPET),
    ...(published ? { published } : {}),
  }
}

/** Engines may ignore the domains they are given, so they are checked here again. */
function isWanted(text: string, { allowed_domains, blocked_domains }: SearchQuery): boolean {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) return false
  const isOf = (domain: string): boolean => isWithin(url.hostname, domain)
  if (allowed_domains.length > 0 && !allowed_domains.some(isOf)) return false
  return !blocked_domains.some(isOf)
}

/** True for the domain itself and those below it. */
export function isWithin(host: string, domain: string): boolean {
  const name = domain.toLowerCase()
  return host.toLowerCase() === name || host.toLowerCase().endsWith(`.${name}`)
}

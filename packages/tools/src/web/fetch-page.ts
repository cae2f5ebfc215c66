/** Fetches one page within limits: public addresses only, so many bytes, so much time, redirects on the same host. */
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { ToolProblem } from '@toolwire/core'
import { FETCH_LIMITS, type FetchLimits } from './fetch-limits.ts'
import { addressesOf, bareHost, pinned, type Reach, UnreachableError, urlProblem } from './reach.ts'

export type FetchResult =
  | {
      readonly type: 'page'
      readonly url: string
      readonly status: number
      readonly content_type: string
      /** Decompressed; cut at the limit. */
      readonly bytes: Uint8Array
      readonly truncated: boolean
    }
  /** It leads to another host, which whoever allowed this one has not allowed. */
  | { readonly type: 'elsewhere'; readonly url: string; readonly to: string; readonly status: number }
  | { readonly type: 'problem'; readonly problem: ToolProblem }

export interface FetchRequest {
  readonly url: string
  readonly reach: Reach
  readonly signal: AbortSignal
  readonly limits?: Partial<FetchLimits> | undefined
}

/** Never throws. Bodies are read to the limit and no further, also behind compression. */
export async function fetchPage(request: FetchRequest): Promise<FetchResult> {
  const limits = { ...FETCH_LIMITS, ...request.limits }
  const timeout = AbortSignal.timeout(limits.ms)
  const signal = AbortSignal.any([request.signal, timeout])
  try {
    return await follow(request, { signal, limits })
  } catch (error) {
    if (timeout.aborted)
      return problem('timeout', `${request.url} did not answer within ${limits.ms / 1000} seconds.`, true)
    if (error instanceof UnreachableError) return problem('denied_address', error.message)
    const said = error instanceof Error ? error.message || error.name : String(error)
    return problem('fetch_failed', `${request.url} could not be fetched: ${said}`, true)
  }
}

const problem = (code: string, message: string, retryable = false): FetchResult => ({
  type: 'problem',
  problem: { code, message, retryable },
})

interface FetchBounds {
  readonly signal: AbortSignal
  readonly limits: FetchLimits
}

async function follow(request: FetchRequest, bounds: FetchBounds): Promise<FetchResult> {
  let url = new URL(request.url)
  for (let hop = 0; hop <= bounds.limits.redirects; hop++) {
    const response = await send(url, request.reach, bounds.signal)
    const status = response.statusCode ?? 0
    const { location } = response.headers
    if (status < 300 || status >= 400 || location === undefined) return await readPage(url, response, bounds)
    response.destroy()
    const target = URL.parse(location, url)
    const bad = urlProblem(target?.href ?? location)
    if (!target || bad)
      return problem('bad_redirect', `${url.href} leads to ${location}, which cannot be fetched.`)
    if (!isSameSite(url, target)) {
      // Rejected here if it is private, so that the user is not asked to fetch it.
      await addressesOf(target, request.reach)
      return { type: 'elsewhere', url: url.href, to: target.href, status }
    }
    url = target
  }
  return problem('bad_redirect', `${request.url} redirects more than ${bounds.limits.redirects} times.`)
}

/** With or without `www.`, never back from https to http. */
function isSameSite(from: URL, to: URL): boolean {
  const host = (url: URL): string => bareHost(url).replace(/^www\./, '')
  return host(from) === host(to) && !(from.protocol === 'https:' && to.protocol === 'http:')
}

async function send(url: URL, reach: Reach, signal: AbortSignal): Promise<IncomingMessage> {
  const addresses = await addressesOf(url, reach)
  signal.throwIfAborted()
  const start = url.protocol === 'https:' ? httpsRequest : httpRequest
  return await new Promise((resolve, reject) => {
    const headers = {
      'user-agent': 'toolwire/0.1 (+WebFetch)',
      accept: 'text/markdown, text/html;q=0.9, text/*;q=0.8, */*;q=0.5',
      'accept-encoding': 'gzip, deflate, br',
    }
    const request = start(url, { headers, signal, lookup: pinned(addresses), agent: false })
    request.on('response', resolve).on('error', reject).end()
  })
}

async function readPage(
  url: URL,
  response: IncomingMessage,
  { signal, limits }: FetchBounds,
): Promise<FetchResult> {
  const chunks: Buffer[] = []
  let size = 0
  const abort = (): void => void response.destroy(new Error('stopped'))
  signal.addEventListener('abort', abort, { once: true })
  try {
    for await (const chunk of decompressed(response)) {
      chunks.push(chunk as Buffer)
      size += (chunk as Buffer).length
      if (size > limits.bytes) break
    }
  } finally {
    signal.removeEventListener('abort', abort)
    response.destroy()
  }
  return {
    type: 'page',
    url: url.href,
    status: response.statusCode ?? 0,
    content_type: response.headers['content-type'] ?? '',
    bytes: Buffer.concat(chunks).subarray(0, limits.bytes),
    truncated: size > limits.bytes,
  }
}

function decompressed(response: IncomingMessage): Readable {
  const through = {
    gzip: createGunzip,
    'x-gzip': createGunzip,
    deflate: createInflate,
    br: createBrotliDecompress,
  }[response.headers['content-encoding']?.trim().toLowerCase() ?? '']
  // The reader of the last stream hears of every error; nothing else is to be done with it here.
  return through ? pipeline(response, through(), () => undefined) : response
}

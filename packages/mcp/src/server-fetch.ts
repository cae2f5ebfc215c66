/**
 * `fetch` for one MCP server and its follow-up requests (sign-in, redirects). The configuration chose the server's
 * own host and nothing else: a public server never leads into a private network, none leads to cloud metadata
 * services, and no redirect takes our headers elsewhere.
 */
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { BlockList, isIP } from 'node:net'
import { Readable } from 'node:stream'
import { addressesOf, bareHost, pinned } from '@toolwire/tools'
import { isPublicAddress, type Reach, UnreachableError } from '@toolwire/tools/internal'
import { createBoundedFetch, type Fetch, MAX_MESSAGE_BYTES } from './bounded-fetch.ts'

const MAX_REDIRECTS = 5
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** `home` is the configured address. The result rejects with an error for a place that must not be reached. */
export function createServerFetch(home: string, reach: Reach = {}): Fetch {
  const isLocal = isLocalHost(new URL(home))
  return createBoundedFetch(MAX_MESSAGE_BYTES, async (url, init) => {
    let at = new URL(url)
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const response = isLocal
        ? await fetchNear(at, new URL(home), reach, init)
        : await fetchPinned(at, await addressesOf(at, reach), init)
      const location = response.headers.get('location')
      if (!REDIRECTS.has(response.status) || location === null) return response
      await response.body?.cancel()
      at = redirected(at, location, response.status, init?.method ?? 'GET')
    }
    throw new UnreachableError(`${home} redirects more than ${MAX_REDIRECTS} times.`)
  })
}

/** Only on the same origin, and only where the request stays what it is. Throws otherwise. */
function redirected(from: URL, location: string, status: number, method: string): URL {
  const to = URL.parse(location, from)
  if (to?.origin !== from.origin)
    throw new UnreachableError(
      `${from.origin} redirects to ${to?.origin ?? 'no address'}, which is not followed.`,
    )
  if (method !== 'GET' && status !== 307 && status !== 308)
    throw new UnreachableError(`${from.origin} redirects with ${status}, which would change the request.`)
  return to
}

/** Names and addresses that outsiders cannot redirect here: the configuration meant this network. */
function isLocalHost(url: URL): boolean {
  const host = bareHost(url)
  if (isIP(host)) return !isPublicAddress(host)
  return !host.includes('.') || /\.(localhost|local|internal|lan|home\.arpa)$/.test(host)
}

/** A server of this network may lead to others of it, but not to where a cloud keeps its credentials. */
async function fetchNear(at: URL, home: URL, reach: Reach, init?: RequestInit): Promise<Response> {
  const host = bareHost(at)
  if (host !== bareHost(home)) {
    const addresses = await addressesOf(at, { ...reach, private_hosts: [host] })
    if (addresses.some(isLinkLocal)) throw new UnreachableError(`${host} is a link-local address.`)
    return await fetchPinned(at, addresses, init)
  }
  return await fetch(at, { ...init, redirect: 'manual' })
}

const linkLocal = new BlockList()
linkLocal.addSubnet('169.254.0.0', 16, 'ipv4')
linkLocal.addSubnet('fe80::', 10, 'ipv6')
// Cloud metadata services over IPv6, and the same IPv4 addresses behind a translation.
linkLocal.addSubnet('fd00:ec2::', 32, 'ipv6')
linkLocal.addSubnet('fd20:ce::', 32, 'ipv6')
linkLocal.addSubnet('64:ff9b::a9fe:0', 112, 'ipv6')

/** Addresses of IPv4 inside IPv6 count as what they are, however they are written. */
const isLinkLocal = (address: string): boolean =>
  linkLocal.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** Connects to an address that was checked, so that a name that resolves differently a moment later gains nothing. */
async function fetchPinned(
  url: URL,
  addresses: readonly string[],
  init: RequestInit = {},
): Promise<Response> {
  const { method = 'GET', body, signal } = init
  if (body !== undefined && body !== null && typeof body !== 'string' && !(body instanceof URLSearchParams))
    throw new TypeError('Only text can be sent.')
  const text = body === undefined || body === null ? undefined : String(body)
  const headers = new Headers(init.headers)
  if (body instanceof URLSearchParams && !headers.has('content-type'))
    headers.set('content-type', 'application/x-www-form-urlencoded;charset=UTF-8')
  const start = url.protocol === 'https:' ? httpsRequest : httpRequest
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = start(url, {
      method,
      headers: Object.fromEntries(headers),
      lookup: pinned(addresses),
      agent: false,
      ...(signal ? { signal } : {}),
    })
    request.on('response', resolve).on('error', reject).end(text)
  })
  return toResponse(answer)
}

function toResponse(answer: IncomingMessage): Response {
  const status = answer.statusCode ?? 502
  const headers = new Headers()
  for (const [name, value] of Object.entries(answer.headers))
    for (const one of [value ?? []].flat()) headers.append(name, one)
  const isEmpty = status === 204 || status === 205 || status === 304
  if (isEmpty) answer.resume()
  const body = isEmpty ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>)
  return new Response(body, { status, headers })
}

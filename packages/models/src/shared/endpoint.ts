/** Address, authentication and fixed parameters of a provider: the one place that sends its key. */
import type { LookupFunction } from 'node:net'
import type { Failure } from '@toolwire/core'
import { withoutSecret } from './failure.ts'
import { post } from './post.ts'
import type { ProviderResponse } from './provider-response.ts'
import type { RequestBody } from './request-body.ts'

export const PROVIDER_AUTHS = ['bearer', 'x-api-key', 'api-key', 'none'] as const
/** The header that carries the key: `authorization` for `bearer`, else the header of that name. */
export type ProviderAuth = (typeof PROVIDER_AUTHS)[number]

export interface EndpointOptions {
  /** Local servers need none. */
  readonly apiKey?: string | undefined
  readonly baseUrl?: string | undefined
  readonly auth?: ProviderAuth | undefined
  /** Sent with every request, after our own. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Added to every address, such as `api-version`. */
  readonly query?: Readonly<Record<string, string>> | undefined
  /** Values beside the key that no error may repeat. */
  readonly secrets?: readonly string[] | undefined
  /** In place of a connection of our own. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** For an address that must be watched: see `Post`. */
  readonly lookup?: LookupFunction | undefined
}

interface EndpointRequest {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** A request without a body is a GET. */
  readonly body?: RequestBody
  readonly signal: AbortSignal
}

export interface Endpoint {
  /** The address without a slash at its end. */
  readonly base: string
  /** Rejects when there is no response. */
  readonly send: (request: EndpointRequest) => Promise<ProviderResponse>
  /** The failure without any secret that was sent. */
  readonly conceal: (failure: Failure) => Failure
}

/** `defaults` are those of the vendor. */
export function createEndpoint(
  options: EndpointOptions,
  defaults: { readonly baseUrl: string; readonly auth: ProviderAuth },
): Endpoint {
  const base = (options.baseUrl ?? defaults.baseUrl).replace(/\/+$/, '')
  const search = new URLSearchParams({ ...options.query }).toString()
  const own = { ...authHeader(options.auth ?? defaults.auth, options.apiKey), ...options.headers }
  const secrets = [options.apiKey, ...(options.secrets ?? [])]
  return {
    base,
    send({ path, headers, body, signal }) {
      const url =
        search === '' ? `${base}${path}` : `${base}${path}${path.includes('?') ? '&' : '?'}${search}`
      const { fetch, lookup } = options
      const sent = { url, headers: { ...headers, ...own }, signal, lookup }
      return post(body === undefined ? sent : { ...sent, body }, fetch)
    },
    conceal: failure => secrets.reduce(withoutSecret, failure),
  }
}

function authHeader(auth: ProviderAuth, key: string | undefined): Readonly<Record<string, string>> {
  if (!key || auth === 'none') return {}
  return auth === 'bearer' ? { authorization: `Bearer ${key}` } : { [auth]: key }
}

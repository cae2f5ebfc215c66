/**
 * Signs in at one server without a screen: the client does discovery, registration and PKCE; the user opens an
 * address, and the browser's result is passed back.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import {
  auth,
  ClientCredentialsProvider,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  PrivateKeyJwtProvider,
} from '@modelcontextprotocol/client'
import type { McpServerConfig } from '../server-config.ts'
import { createServerFetch } from '../server-fetch.ts'
import { createCompanyAccount } from './company-account.ts'
import type { CredentialStore } from './credentials.ts'

/** An address unopened for so long is replaced. */
const PENDING_MS = 10 * 60_000

export interface SignIn {
  readonly provider: OAuthClientProvider
  /** The address to open; undefined if none is needed. */
  readonly url: () => string | undefined
  /**
   * Processes the browser's result: false if it belongs to another sign-in. Throws if the authorization server
   * rejects it; then the next attempt starts again.
   */
  readonly finish: (query: URLSearchParams) => Promise<boolean>
  /** Forgets tokens and registration. */
  readonly forget: () => Promise<void>
}

export interface SignInOptions {
  readonly server: string
  readonly config: Extract<McpServerConfig, { readonly type: 'http' | 'sse' }>
  readonly store: CredentialStore
  /** The address that browsers return to. */
  readonly redirectUrl: () => string
  /** Called with the address that a user has to open. */
  readonly onUrl: (url: string) => void
  readonly now?: () => number
}

export function createSignIn(options: SignInOptions): SignIn {
  const { server, config, store, onUrl } = options
  const own = createOwnAccount(config)
  if (own) return { provider: own, url: () => undefined, finish: async () => false, forget: async () => {} }
  const now = options.now ?? Date.now
  let waiting: { readonly url: string; readonly until: number } | undefined

  const provider = createProvider(options, {
    async begin() {
      const state = newState()
      await store.set(server, { pending: { state, since: now() } })
      return state
    },
    redirect(url) {
      waiting = { url, until: now() + PENDING_MS }
      onUrl(url)
    },
  })

  return {
    provider,
    url: () => (waiting && waiting.until > now() ? waiting.url : undefined),
    async finish(query) {
      const { pending } = await store.get(server)
      if (!pending || !isSame(query.get('state') ?? '', pending.state)) return false
      const code = query.get('code')
      waiting = undefined
      try {
        if (!code)
          throw new Error(query.get('error_description') ?? query.get('error') ?? 'No code was given.')
        const iss = query.get('iss')
        await auth(provider, {
          serverUrl: config.url,
          authorizationCode: code,
          ...(iss === null ? {} : { iss }),
          fetchFn: createServerFetch(config.url),
          ...issuerCheck(config),
        })
      } finally {
        // A code is good for one attempt.
        await store.set(server, { pending: undefined })
      }
      return true
    },
    async forget() {
      waiting = undefined
      await store.remove(server)
    },
  }
}

/** The client's own account, where the configuration names one; its tokens live as long as the process. */
function createOwnAccount({ oauth, url }: SignInOptions['config']): OAuthClientProvider | undefined {
  const { grant, clientId, clientSecret, privateKey, algorithm = 'ES256', scope, directory } = oauth || {}
  if (!clientId) return undefined
  if (grant === 'company' && clientSecret && directory)
    return createCompanyAccount({ clientId, clientSecret, scope, directory, url })
  if (grant !== 'client_credentials') return undefined
  const known = { clientId, clientName: 'Toolwire', ...(scope ? { scope } : {}) }
  if (privateKey) return new PrivateKeyJwtProvider({ ...known, privateKey, algorithm })
  return clientSecret ? new ClientCredentialsProvider({ ...known, clientSecret }) : undefined
}

/** Nothing unless the configuration gives the check up. */
export function issuerCheck({ oauth }: Pick<SignInOptions['config'], 'oauth'>): {
  readonly skipIssuerMetadataValidation?: true
} {
  const { anyIssuer = false } = oauth || {}
  return anyIssuer ? { skipIssuerMetadataValidation: true } : {}
}

interface Steps {
  /** A new sign-in: the secret that its callback must bring back. */
  readonly begin: () => Promise<string>
  readonly redirect: (url: string) => void
}

function createProvider(
  { server, config, store, redirectUrl }: SignInOptions,
  steps: Steps,
): OAuthClientProvider {
  const { clientId, clientSecret, scope, clientMetadataUrl } = config.oauth || {}
  const known = clientId
    ? { client_id: clientId, ...(clientSecret ? { client_secret: clientSecret } : {}) }
    : undefined
  return {
    get redirectUrl() {
      return redirectUrl()
    },
    get clientMetadata(): OAuthClientMetadata {
      return {
        client_name: 'Toolwire',
        redirect_uris: [redirectUrl()],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: clientSecret ? 'client_secret_basic' : 'none',
        ...(scope ? { scope } : {}),
      }
    },
    ...(clientMetadataUrl ? { clientMetadataUrl } : {}),
    state: steps.begin,
    clientInformation: async () => known ?? (await store.get(server)).client,
    ...(known ? {} : { saveClientInformation: client => store.set(server, { client }) }),
    tokens: async () => (await store.get(server)).tokens,
    saveTokens: tokens => store.set(server, { tokens }),
    redirectToAuthorization: url => steps.redirect(url.href),
    async saveCodeVerifier(verifier) {
      const { pending } = await store.get(server)
      if (pending) await store.set(server, { pending: { ...pending, verifier } })
    },
    async codeVerifier() {
      const { pending } = await store.get(server)
      if (pending?.verifier === undefined) throw new Error('No sign-in is in progress.')
      return pending.verifier
    },
    saveDiscoveryState: discovery => store.set(server, { discovery }),
    discoveryState: async () => (await store.get(server)).discovery,
    async invalidateCredentials(what) {
      await store.set(server, {
        ...(what === 'all' || what === 'client' ? { client: undefined } : {}),
        ...(what === 'all' || what === 'tokens' ? { tokens: undefined } : {}),
        ...(what === 'all' || what === 'verifier' ? { pending: undefined } : {}),
        ...(what === 'all' || what === 'discovery' ? { discovery: undefined } : {}),
      })
    },
  }
}

const newState = (): string => randomBytes(32).toString('base64url')

function isSame(given: string, known: string): boolean {
  const a = Buffer.from(given)
  const b = Buffer.from(known)
  return a.length === b.length && timingSafeEqual(a, b)
}

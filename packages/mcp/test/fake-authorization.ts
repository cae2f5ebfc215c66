/** An MCP server behind OAuth and its authorization server, on loopback; both record their requests. */
import { createHash, randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { listen } from './http-servers.ts'
import { createTestServer } from './test-server.ts'

export interface FakeAuthorization {
  /** The MCP server. */
  readonly url: string
  readonly seen: {
    registrations: number
    /** `grant_type` of every request for tokens. */
    readonly grants: string[]
    readonly challenges: string[]
  }
  /** Every access token given so far is refused from now on; refresh tokens as well when asked. */
  readonly revoke: (refresh?: boolean) => void
}

const body = async (request: IncomingMessage): Promise<string> => {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}

/** Takes the place of one of its answers in JSON when it gives a text. */
export type Instead = (pathname: string, honest: unknown) => string | undefined

/** `issuer` is what its metadata says, when it is not the truth: a path at its address. */
export async function serveBehindOAuth(
  issuer = '',
  instead: Instead = () => undefined,
): Promise<FakeAuthorization> {
  const seen: FakeAuthorization['seen'] = { registrations: 0, grants: [], challenges: [] }
  const codes = new Map<string, { readonly challenge: string; readonly redirect: string }>()
  const access = new Set<string>()
  const refresh = new Set<string>()
  const mcp = toNodeHandler(createMcpHandler(() => createTestServer()))
  let origin = ''

  const json = (response: ServerResponse, value: unknown, status = 200): void => {
    const { pathname } = new URL(response.req.url ?? '/', origin)
    const text = instead(pathname, value) ?? JSON.stringify(value)
    response.writeHead(status, { 'content-type': 'application/json' }).end(text)
  }

  function authorize(query: URLSearchParams, response: ServerResponse): void {
    const code = randomUUID()
    const challenge = query.get('code_challenge') ?? ''
    seen.challenges.push(query.get('code_challenge_method') ?? '')
    const redirect = query.get('redirect_uri') ?? ''
    codes.set(code, { challenge, redirect })
    const location = new URL(redirect)
    location.searchParams.set('code', code)
    location.searchParams.set('state', query.get('state') ?? '')
    response.writeHead(302, { location: location.href }).end()
  }

  function grant(response: ServerResponse): void {
    const tokens = { access_token: randomUUID(), refresh_token: randomUUID() }
    access.add(tokens.access_token)
    refresh.add(tokens.refresh_token)
    json(response, { ...tokens, token_type: 'Bearer', expires_in: 3600 })
  }

  function token(form: URLSearchParams, response: ServerResponse): void {
    const type = form.get('grant_type') ?? ''
    seen.grants.push(type)
    const known = type === 'refresh_token' ? refresh.delete(form.get('refresh_token') ?? '') : redeem(form)
    if (known) grant(response)
    else json(response, { error: 'invalid_grant' }, 400)
  }

  function redeem(form: URLSearchParams): boolean {
    const code = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const verifier = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    return code !== undefined && code.challenge === verifier && code.redirect === form.get('redirect_uri')
  }

  const metadata = () => ({
    issuer: `${origin}${issuer}`,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', origin)
    if (pathname.startsWith('/.well-known/oauth-protected-resource'))
      return json(response, { resource: `${origin}/mcp`, authorization_servers: [origin] })
    if (pathname.startsWith('/.well-known/oauth-authorization-server')) return json(response, metadata())
    if (pathname === '/register') {
      seen.registrations += 1
      return json(response, { ...JSON.parse(await body(request)), client_id: 'client-1' }, 201)
    }
    if (pathname === '/authorize') return authorize(searchParams, response)
    if (pathname === '/token') return token(new URLSearchParams(await body(request)), response)
    const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
    if (pathname === '/mcp' && bearer && access.has(bearer)) return void mcp(request, response)
    const where = `${origin}/.well-known/oauth-protected-resource/mcp`
    response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${where}"` }).end()
  }

  const url = await listen((request, response) => void answer(request, response))
  origin = new URL(url).origin
  return {
    url,
    seen,
    revoke(alsoRefresh = false) {
      access.clear()
      if (alsoRefresh) refresh.clear()
    },
  }
}

/** Browser tokens, and tickets for requests without headers. /api/tokens, /api/tickets */
import { AppError, type Records } from '@toolwire/core'
import { TOKEN_SCOPES, type TokenScope } from '../access/browser-token.ts'
import { mustBeGivable } from '../access/key-rules.ts'
import { holds, NO_LIMITS, type Principal } from '../access/principal.ts'
import { recordAudit } from '../access/record-audit.ts'
import { createTicket } from '../access/tickets.ts'
import type { NewToken } from '../access/token-book.ts'
import { revokeTokens } from '../access/token-records.ts'
import type { ServerContext } from '../context.ts'
import { reply } from '../http/reply.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { json, SESSION_ERRORS } from '../openapi/operation.ts'
import {
  BrowserToken,
  NewBrowserToken,
  NewTicket,
  RevokeTokens,
  Ticket,
  TokensRevoked,
} from '../openapi/shapes/token-shapes.ts'
import { findSession } from '../sessions/find-session.ts'

const tag = 'Sign-in'

export const tokenRoutes: readonly Route[] = [
  defineRoute({
    method: 'POST',
    path: '/api/tokens',
    scope: 'tokens',
    id: 'createToken',
    tag,
    summary: 'Make a browser token for a user',
    description:
      'Called by the application, which knows who its user is: any owner can be named. The token can do no more than the caller, ends with the key of the caller, and is shown this once.',
    body: NewBrowserToken,
    errors: ['bad_request', 'not_found'],
    responses: { 201: json(BrowserToken, 'The token.') },
    handle: async (exchange, context) => {
      const principal = context.principal()
      const { owner, sessions, minutes, limits, models, origins, name, scopes: asked } = exchange.parseBody()
      if (models) mustBeGivable(principal, { models })
      const scopes = toScopes(asked, principal)
      const made = await context.credentials.makeToken({
        ...makerOf(principal),
        owner,
        scopes,
        ...(sessions === undefined ? {} : { sessions }),
        ...(origins === undefined ? {} : { origins }),
        limits: limits ?? NO_LIMITS,
        models: models ?? null,
        expires_at: context.clock.now().getTime() + minutes * 60_000,
      })
      const details = { token_id: made.token_id, owner, scopes, sessions, minutes, name }
      await recordAudit(context, 'token.created', { details })
      return reply(201, { ...made, owner, scopes })
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/tokens/revoke',
    scope: 'tokens',
    id: 'revokeTokens',
    tag,
    summary: 'Revoke a browser token, or all of an owner',
    description:
      'Requests with it are refused, and what it has open ends, within two seconds on every server.',
    body: RevokeTokens,
    errors: ['bad_request', 'not_found'],
    responses: { 200: json(TokensRevoked, 'Also for a token that is unknown or has expired.') },
    handle: async (exchange, context) => {
      const which = exchange.parseBody()
      await revokeTokens(recordsOf(context), which, context.clock.now())
      await recordAudit(context, 'token.revoked', { details: which })
      return { revoked: true }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/tickets',
    scope: 'read',
    id: 'createTicket',
    tag,
    summary: 'Make a ticket for one request without headers',
    description:
      'For an EventSource or a link: one GET of this path with `?ticket=`, within a minute, for this session alone and with the scopes of a browser token. A ticket that was used, is late or is for another path is refused.',
    body: NewTicket,
    errors: ['bad_request', 'not_found', ...SESSION_ERRORS],
    responses: { 201: json(Ticket, 'The ticket.') },
    handle: async (exchange, context) => {
      const target = exchange.parseBody()
      const { id } = await findSession(context, target.session)
      const wanted = { session: id, path: target.path }
      const ticket = await createTicket(recordsOf(context), context.principal(), wanted, context.clock.now())
      return reply(201, ticket)
    },
  }),
]

function recordsOf({ records }: ServerContext): Records {
  if (!records) throw new AppError('not_found', 'This server keeps no records.')
  return records
}

/** Throws `forbidden` and names the scopes that the caller cannot give. */
function toScopes(asked: readonly string[] | undefined, principal: Principal): TokenScope[] {
  const own = TOKEN_SCOPES.filter(scope => holds(principal, scope))
  const refused = asked?.filter(scope => !own.some(one => one === scope)) ?? []
  if (refused.length > 0 || own.length === 0)
    throw new AppError(
      'forbidden',
      `This caller cannot give the scopes: ${refused.join(', ') || 'it has none'}.`,
    )
  return asked ? own.filter(scope => asked.includes(scope)) : own
}

/** The key with which a token ends, and the folder of its sessions. */
function makerOf({
  credential,
  key_id,
  unbounded,
  workspace,
}: Principal): Pick<NewToken, 'key' | 'keyless' | 'workspace'> {
  // A caller whom the application signed in has no key of this server.
  if (key_id !== null && credential === key_id) return { key: key_id, workspace }
  return unbounded && credential === undefined ? { keyless: true, workspace } : { workspace }
}

/**
 * Tickets: one GET within a minute, for what cannot send a header (EventSource, a link to a file). A ticket in an
 * address may be logged on its way; it is worth nothing afterwards.
 */
import { createHash, randomBytes } from 'node:crypto'
import { AppError, type Records } from '@toolwire/core'
import { z } from 'zod'
import { TOKEN_SCOPES } from './browser-token.ts'
import type { Credentials } from './credentials.ts'
import { holds, type Principal } from './principal.ts'

const KIND = 'ticket'
const LIFE_MS = 60_000
/** Of these, the expired ones are removed with every new ticket. Ids are digests, so they are any. */
const SWEEP = 100

const StoredTicket = z.object({
  /** Absent on a server without a sign-in. */
  credential: z.string().optional(),
  session: z.string(),
  path: z.string(),
  expires_at: z.number(),
})

export interface TicketTarget {
  readonly session: string
  /** Of the only request that may use it, below the base path and without a query. */
  readonly path: string
}

/** Resolves when it is stored. */
export async function createTicket(
  records: Records,
  { credential }: Pick<Principal, 'credential'>,
  { session, path }: TicketTarget,
  now: Date,
): Promise<{ readonly ticket: string; readonly expires_at: string }> {
  const ticket = randomBytes(24).toString('base64url')
  const expires_at = now.getTime() + LIFE_MS
  const stored = { session, path, expires_at, ...(credential === undefined ? {} : { credential }) }
  await records.put(KIND, digestOf(ticket), stored)
  for (const { id, value } of await records.list(KIND, SWEEP)) {
    const { data } = StoredTicket.safeParse(value)
    if (!data || data.expires_at < now.getTime()) await records.remove(KIND, id)
  }
  return { ticket, expires_at: new Date(expires_at).toISOString() }
}

/** The maker of the ticket, for its session alone. Throws `unauthorized`; a ticket works once, on all servers. */
export async function redeemTicket(
  records: Records | undefined,
  credentials: Pick<Credentials, 'findHolder'>,
  used: { readonly ticket: string; readonly path: string },
  now: Date,
): Promise<Principal> {
  const id = digestOf(used.ticket)
  const { data: stored } = StoredTicket.safeParse(await records?.get(KIND, id))
  const isFirst = stored !== undefined && (await records?.remove(KIND, id)) === true
  if (!isFirst || stored.path !== used.path || stored.expires_at <= now.getTime())
    throw new AppError('unauthorized')
  const maker = await credentials.findHolder(stored.credential)
  if (!maker) throw new AppError('unauthorized')
  return {
    ...maker,
    // A link may leak: it opens nothing that a browser token could not.
    scopes: new Set(TOKEN_SCOPES.filter(scope => holds(maker, scope))),
    token: { id: 'ticket', expires_at: stored.expires_at, ...maker.token, sessions: [stored.session] },
  }
}

const digestOf = (ticket: string): string => createHash('sha256').update(ticket).digest('hex')

/** Browser tokens for end users, made by the application's own server, and tickets for requests without headers. */
import type { Http } from './http.ts'

export interface NewToken {
  /** The user: the sessions of this owner are what the token reaches. */
  readonly owner: string
  /** The only sessions that it reaches; `new` for those that it makes. All of the owner's by default. */
  readonly sessions?: readonly string[] | 'new'
  /** At most those of the caller, by default all of them that a token can have. */
  readonly scopes?: readonly ('read' | 'write' | 'approve' | 'gateway' | 'mcp')[]
  /** 1 to 60; 10 by default. */
  readonly minutes?: number
  readonly limits?: {
    readonly requests_per_minute?: number | null
    readonly concurrent?: number | null
    readonly budget_usd?: number | null
  }
  /** The only pages that may send it. */
  readonly origins?: readonly string[]
  /** For the audit trail. */
  readonly name?: string
}

export interface TokenJson {
  readonly token: string
  readonly token_id: string
  readonly owner: string
  readonly scopes: readonly string[]
  readonly expires_at: string
}

export interface TicketJson {
  readonly ticket: string
  readonly expires_at: string
}

/** All methods throw ToolwireError. */
export function createTokenApi(http: Http) {
  return {
    /** Needs the scope `tokens`: call it where the user has signed in, never in a page. */
    create: (token: NewToken): Promise<TokenJson> =>
      http.json({ method: 'POST', path: '/api/tokens', body: token }),
    /** Ends one token, or all that an owner has until now. */
    revoke: (which: { readonly token_id: string } | { readonly owner: string }): Promise<void> =>
      http.send({ method: 'POST', path: '/api/tokens/revoke', body: which }, async () => {}),
    /** One GET of this path with `?ticket=`, within a minute: for an EventSource, or a link to a file. */
    ticket: (session: string, path: string): Promise<TicketJson> =>
      http.json({ method: 'POST', path: '/api/tickets', body: { session, path } }),
  }
}

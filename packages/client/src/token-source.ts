/**
 * Tokens of a callback: one call serves many requests. A token is renewed at four fifths of its life, and after the
 * server has refused it.
 */
export type TokenCallback = () => string | Promise<string>

export interface TokenSource {
  /** A token that is valid for a while. Rejects with what the callback throws. */
  current(): Promise<string>
  /** The next one, after the server has refused `token`; one call for all requests that it refused. */
  renew(token: string): Promise<string>
}

interface Token {
  readonly text: string
  /** Milliseconds since 1970. */
  readonly renewAt: number
}

export function createTokenSource(callback: TokenCallback, now: () => number = Date.now): TokenSource {
  let token: Promise<Token> | undefined

  function ask(): Promise<Token> {
    const asked = (async () => {
      const text = await callback()
      if (typeof text !== 'string' || text === '') throw new TypeError('token must resolve to a text.')
      return { text, renewAt: renewalOf(text, now()) }
    })()
    token = asked
    // A failed call is not the answer to the next request.
    asked.catch(() => {
      if (token === asked) token = undefined
    })
    return asked
  }
  return {
    async current() {
      const asked = token
      const found = await (asked ?? ask())
      if (now() < found.renewAt) return found.text
      return (await (token === asked ? ask() : (token ?? ask()))).text
    },
    async renew(refused) {
      const asked = token
      const found = asked && (await asked)
      if (found && found.text !== refused) return found.text
      return (await (token === asked ? ask() : (token ?? ask()))).text
    },
  }
}

/** Share of its life after which a token is renewed. */
const SHARE = 0.8

/**
 * By the claims of the token, which is a browser token or a JSON web token; one of another form is used until it is
 * refused. Its life is measured from here on, so that a wrong clock of this machine does not matter.
 */
function renewalOf(token: string, now: number): number {
  const { issued_at, expires_at, iat, exp } = claimsOf(token)
  const from = toMs(issued_at, 1) ?? toMs(iat, 1000)
  const until = toMs(expires_at, 1) ?? toMs(exp, 1000)
  return from === undefined || until === undefined ? Number.POSITIVE_INFINITY : now + (until - from) * SHARE
}

const toMs = (value: unknown, unit: number): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value * unit : undefined

function claimsOf(token: string): Readonly<Record<string, unknown>> {
  try {
    const packed = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')
    const claims: unknown = JSON.parse(atob(packed))
    return typeof claims === 'object' && claims !== null ? (claims as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

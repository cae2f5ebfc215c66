/**
 * Several requests may find at the same moment that a token has run out. A refresh token is good for one
 * use: whoever used it a second time would lose the sign-in. So one of them renews, and all get its answer.
 */

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

interface TokenResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

const KEPT = 3

/** The same fetch for everything but the use of a refresh token, which happens once. */
export function refreshOnce(fetch: Fetch): Fetch {
  const answers = new Map<string, Promise<TokenResponse>>()
  return async (url, init) => {
    const token = refreshTokenOf(init)
    if (token === undefined) return await fetch(url, init)
    const answer = answers.get(token) ?? read(fetch(url, init))
    answers.set(token, answer)
    // Who comes late holds one of the last tokens; older ones nobody holds.
    const [oldest] = answers.size > KEPT ? answers.keys() : []
    if (oldest !== undefined) answers.delete(oldest)
    try {
      const { status, headers, text } = await answer
      if (status >= 500) answers.delete(token)
      return new Response(text, { status, headers })
    } catch (error) {
      answers.delete(token)
      throw error
    }
  }
}

async function read(asking: Promise<Response>): Promise<TokenResponse> {
  const response = await asking
  const { status, headers } = response
  return { status, headers, text: await response.text() }
}

function refreshTokenOf(init: RequestInit | undefined): string | undefined {
  const { method, body } = init ?? {}
  if (method !== 'POST' || !(typeof body === 'string' || body instanceof URLSearchParams)) return undefined
  const form = new URLSearchParams(body)
  return form.get('grant_type') === 'refresh_token' ? (form.get('refresh_token') ?? undefined) : undefined
}
